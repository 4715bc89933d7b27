/** The `trawl` command. What is only a question for help is answered before anything else is loaded, as fast as Node starts. */
import { textAskedFor } from './cli/help.ts'

/** Put in by the build. */
declare const TRAWL_VERSION: string

const args = process.argv.slice(2)
const version = typeof TRAWL_VERSION === 'string' ? TRAWL_VERSION : 'not built'
const text = textAskedFor(args, version)
if (text === null) {
  const { runInProcess } = await import('./run-process.ts')
  process.exitCode = await runInProcess(args, version)
} else {
  // `trawl --help | head -1` closes the pipe before all is written.
  process.stdout.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code !== 'EPIPE') throw error
  })
  process.stdout.write(text)
}
