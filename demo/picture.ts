/** Draws what a terminal shows as an SVG: the README's picture is a real answer. Bold and dim are all the styles there are. */

const fontSize = 13
const columnWidth = 7.83
const lineHeight = 18
const padding = 16

/** @param text lines with the escape codes of bold (1), dim (2) and neither (22). */
export function drawTerminal(text: string): string {
  const lines = text.trimEnd().split('\n')
  const columns = Math.max(...lines.map((line) => stripStyles(line).length))
  const width = Math.ceil(columns * columnWidth + 2 * padding)
  const height = lines.length * lineHeight + 2 * padding
  const body = lines.map((line, at) => drawLine(line, padding + fontSize + at * lineHeight)).join('\n')
  return `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}" xml:space="preserve" role="img" aria-label="A terminal with an answer of trawl search">
<style>text{font:${fontSize}px ui-monospace,SFMono-Regular,Menlo,Consolas,'DejaVu Sans Mono',monospace;fill:#d7dae0;white-space:pre}.b{font-weight:700;fill:#fff}.d{fill:#8b93a1}</style>
<rect width="100%" height="100%" rx="8" fill="#16181d"/>
${body}
</svg>
`
}

/** Each run is placed by its column, so that the columns stand whatever font the reader has. */
function drawLine(line: string, y: number): string {
  let column = 0
  let style = ''
  let drawn = ''
  // biome-ignore lint/complexity/useRegexLiterals: the escape character is easier to see in a string
  for (const part of line.split(new RegExp('(\u001b\\[\\d+m)'))) {
    const code = /^\u001b\[(\d+)m$/.exec(part)?.[1]
    if (code !== undefined) style = code === '1' ? ' class="b"' : code === '2' ? ' class="d"' : ''
    else if (part !== '') {
      const shown = part.trimStart()
      const x = padding + (column + part.length - shown.length) * columnWidth
      column += part.length
      if (shown !== '')
        drawn += `<text x="${x.toFixed(1)}" y="${y}" textLength="${(shown.length * columnWidth).toFixed(1)}"${style}>${escapeXml(shown)}</text>`
    }
  }
  return drawn
}

function stripStyles(line: string): string {
  return line.replace(/\u001b\[\d+m/g, '')
}

function escapeXml(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;')
}
