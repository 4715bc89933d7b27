/** Transcripts no agent should have written, read by the real command: what is readable in them is found. */
import { once } from 'node:events'
import { createWriteStream } from 'node:fs'
import { appendFile, mkdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { finished } from 'node:stream/promises'
import { afterEach, describe, expect, it } from 'vitest'
import { startRealAgent } from '../helpers/real-agent.ts'
import { agentProgram, createRealHome, type RealHome, whyNoBuild } from '../helpers/real-hosts.ts'
import { runProgram } from '../helpers/served-gateway.ts'

const open: AsyncDisposable[] = []
afterEach(async () => {
  for (const one of open.splice(0).reverse()) await one[Symbol.asyncDispose]()
})

async function home(): Promise<RealHome> {
  const made = await createRealHome()
  open.push(made)
  await made.writeClaude({ sessionId: 'sound', at: '2026-01-01T00:00:00Z', user: 'a soundtranscript beside' })
  return made
}

async function agentOf(at: RealHome) {
  const agent = await startRealAgent(at, { exposure: 'ipc' })
  open.push(agent)
  return agent
}

const userLine = (text: string, sessionId = 'odd') =>
  JSON.stringify({
    type: 'user',
    sessionId,
    cwd: '/work/app',
    uuid: text,
    timestamp: '2026-01-02T00:00:00Z',
    message: { role: 'user', content: text },
  })

/** A transcript of our own in the place of one that a helper wrote. */
async function writeOdd(at: RealHome, bytes: string | Buffer): Promise<string> {
  const path = await at.writeClaude({ sessionId: 'odd', at: null, user: 'x' })
  await writeFile(path, bytes)
  return path
}

describe.skipIf(whyNoBuild() !== null)('trawl-agent reading a transcript with', () => {
  it('a line of 200 MB passes it over in bounded memory, counts it, and finds what stands around it', async () => {
    const at = await home()
    const path = await writeOdd(at, `${userLine('beforethegiant')}\n`)
    const giant = createWriteStream(path, { flags: 'a' })
    const [head = '', tail = ''] = userLine('GIANT').split('GIANT')
    giant.write(head)
    const block = 'giantword '.repeat(100_000)
    for (let bytes = 0; bytes < 200_000_000; bytes += block.length) {
      if (!giant.write(block)) await once(giant, 'drain')
    }
    giant.end(`${tail}\n${userLine('afterthegiant')}\n`)
    await finished(giant)

    const agent = await agentOf(at)
    expect(await agent.find('beforethegiant')).toEqual(['odd'])
    expect(await agent.find('afterthegiant')).toEqual(['odd'])
    expect(await agent.find('soundtranscript')).toEqual(['sound'])
    expect(await agent.find('giantword')).toEqual([])
    expect(await agent.settledStatus()).toMatchObject({
      phase: 'current',
      filesIndexed: 2,
      filesFailed: 0,
      unreadLines: 1,
    })
    const peak = await peakMemoryBytes(agent.child.pid)
    // Node, SQLite's cache and a line of the 16 MiB that are read: far less than one copy of the line on top.
    if (peak !== null) expect(peak).toBeLessThan(300_000_000)
    const told = await runProgram(agentProgram, ['status'], at.env)
    expect(told.stdout).toContain('1 line could not be read')
  })

  it('invalid UTF-8, NULs and invalid JSON keeps all that can be read', async () => {
    const at = await home()
    await writeOdd(
      at,
      Buffer.concat([
        Buffer.from(`${userLine('firstgood')}\n`),
        Buffer.from(`${userLine('PLACE brokenbytes')}\n`.replace('PLACE', '\u00ff'), 'latin1'),
        Buffer.from(`${userLine('nul\0inside nulneighbour')}\n`),
        Buffer.from('\0\0\0\0\n{"type":"user","message":\nnot json at all\n[1,2,3]\n"text"\nnull\n\n'),
        Buffer.from([0xc3, 0x28, 0xff, 0xfe, 0x0a]),
        Buffer.from(`${userLine('lastgood')}\n`),
      ]),
    )
    const agent = await agentOf(at)
    for (const word of ['firstgood', 'brokenbytes', 'nulneighbour', 'lastgood'])
      expect(await agent.find(word)).toEqual(['odd'])
    const status = await agent.settledStatus()
    expect(status).toMatchObject({ phase: 'current', filesIndexed: 2, filesFailed: 0 })
    expect(status.unreadLines).toBeGreaterThanOrEqual(4)
    const page = await agent.call('aiVault.readSession', { agent: 'claude', sessionId: 'odd' })
    expect(JSON.stringify(page)).toContain('brokenbytes')
  })

  it('[link.59] a last line without its newline waits for the end of that line, and then finds it, once', async () => {
    const at = await home()
    const whole = userLine('halfwritten reply')
    const cut = whole.indexOf('halfwritten') + 4
    const path = await writeOdd(at, `${userLine('completeline')}\n${whole.slice(0, cut)}`)
    const agent = await agentOf(at)
    expect(await agent.find('completeline')).toEqual(['odd'])
    expect(await agent.find('halfwritten')).toEqual([])
    expect((await agent.settledStatus()).unreadLines).toBe(0)

    await appendFile(path, whole.slice(cut))
    expect(await agent.find('halfwritten')).toEqual([])
    await appendFile(path, '\n')
    expect(await agent.find('halfwritten')).toEqual(['odd'])
    const page = await agent.call('aiVault.readSession', { agent: 'claude', sessionId: 'odd' })
    expect(page).toMatchObject({ messages: [{ text: 'completeline' }, { text: 'halfwritten reply' }] })
    expect((await agent.settledStatus()).unreadLines).toBe(0)
  })

  it('nothing in it, or nothing but garbage, is no session and no failure', async () => {
    const at = await home()
    await writeOdd(at, '')
    await writeFile(join(at.homeDir, '.claude/projects/-work-app/garbage.jsonl'), 'x\n'.repeat(100))
    const agent = await agentOf(at)
    expect(await agent.find('soundtranscript')).toEqual(['sound'])
    expect(await agent.settledStatus()).toMatchObject({ phase: 'current', filesFailed: 0, unreadLines: 100 })
  })

  it('subagents’ files whose own transcript is lost finds what they say, under their session, without a command to resume it', async () => {
    const at = await home()
    const folder = join(at.homeDir, '.claude/projects/-work-app/orphan/subagents')
    await mkdir(folder, { recursive: true })
    for (const word of ['firstorphan', 'secondorphan']) {
      const record = { ...JSON.parse(userLine(word, 'orphan')), isSidechain: true, agentId: word }
      await writeFile(join(folder, `agent-${word}.jsonl`), `${JSON.stringify(record)}\n`)
    }
    const agent = await agentOf(at)
    for (const word of ['firstorphan', 'secondorphan']) expect(await agent.find(word)).toEqual(['orphan'])
    expect(await agent.settledStatus()).toMatchObject({ phase: 'current', filesIndexed: 3, filesFailed: 0 })
    expect(await agent.search({ query: 'firstorphan' })).toMatchObject({
      hits: [{ source: { presence: 'unverifiable' } }],
    })
    expect(JSON.stringify(await agent.search({ query: 'firstorphan' }))).not.toContain('resumeCommand')
  })

  it('fewer bytes than before, and other ones, is read anew', async () => {
    const at = await home()
    const path = await writeOdd(at, `${userLine('oldwords one')}\n${userLine('oldwords two')}\n`)
    const agent = await agentOf(at)
    expect(await agent.find('oldwords')).toEqual(['odd'])
    await writeFile(path, `${userLine('newwords')}\n`)
    expect(await agent.find('newwords')).toEqual(['odd'])
    expect(await agent.find('oldwords')).toEqual([])
  })
})

/** The most memory the process ever held; null where the system does not say. */
async function peakMemoryBytes(pid: number | undefined): Promise<number | null> {
  const text = await readFile(`/proc/${pid}/status`, 'utf8').catch(() => '')
  const found = /^VmHWM:\s+(\d+) kB$/m.exec(text)
  return found === null ? null : Number(found[1]) * 1024
}
