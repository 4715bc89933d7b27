/** The processes of this machine, as far as agents at one index have to know of each other: a port, and the system's. */

export interface ProcessTable {
  readonly pid: number
  isAlive(pid: number): boolean
}

export const systemProcesses: ProcessTable = {
  pid: process.pid,
  isAlive(pid) {
    try {
      process.kill(pid, 0)
      return true
    } catch (error) {
      // It runs, and belongs to somebody else.
      return error instanceof Error && 'code' in error && error.code === 'EPERM'
    }
  },
}
