/** Sizes in binary units. */

const units = ['KiB', 'MiB', 'GiB', 'TiB']

/** `0 B`, `1023 B`, `1.5 KiB`, `12 MiB`. */
export function sayBytes(bytes: number): string {
  if (bytes < 1024) return `${bytes} B`
  let value = bytes / 1024
  let at = 0
  for (; value >= 1023.5 && at < units.length - 1; at++) value /= 1024
  return `${value < 9.95 ? value.toFixed(1).replace(/\.0$/, '') : Math.round(value)} ${units[at]}`
}
