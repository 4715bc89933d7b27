/** What the figures were measured on, and how much else it had to do. */
import { availableParallelism, cpus, totalmem } from 'node:os'

/** One line: Node, processor, cores, memory. Names no host and no path. */
export function machineLine(): string {
  const model = cpus()[0]?.model.trim() ?? 'unknown processor'
  const memoryGB = Math.round(totalmem() / 2 ** 30)
  return `Node ${process.versions.node}, ${process.platform} ${process.arch}, ${model}, ${availableParallelism()} cores, ${memoryGB} GiB`
}

/** How busy the machine is by itself, from 0 to 1 over all cores; the ratios are only as good as this is small. */
export async function busyShare(sampleMs: number): Promise<number> {
  const before = coreTimes()
  await new Promise((resolve) => setTimeout(resolve, sampleMs))
  const after = coreTimes()
  const passedMs = after.totalMs - before.totalMs
  return passedMs === 0 ? 0 : 1 - (after.idleMs - before.idleMs) / passedMs
}

function coreTimes(): { idleMs: number; totalMs: number } {
  const times = cpus().map((core) => core.times)
  const idleMs = times.reduce((sum, { idle }) => sum + idle, 0)
  const totalMs = times.reduce(
    (sum, { user, nice, sys, idle, irq }) => sum + user + nice + sys + idle + irq,
    0,
  )
  return { idleMs, totalMs }
}
