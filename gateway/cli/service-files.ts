/** What systemd and launchd are given to keep `trawl serve` running: where it goes, and which commands start and end it. */
import { join } from 'node:path'
import type { Place } from '../../protocol/places.ts'
import { Refusal } from '../refusal.ts'

export interface ServicePlan {
  readonly file: string
  readonly text: string
  readonly install: readonly (readonly string[])[]
  /** The first ends it; the others are for when the file is gone. */
  readonly uninstall: readonly (readonly string[])[]
}

const label = 'dev.trawl.gateway'
/** What moves files is kept as it is at the time of the installation. */
const keptVariables = ['TRAWL_CONFIG', 'TRAWL_DATA_DIR', 'XDG_CONFIG_HOME', 'XDG_DATA_HOME']

/** @throws Refusal for a system without either. */
export function servicePlan(
  { env, homeDir, trawlCommand }: Place & { readonly trawlCommand: readonly string[] },
  platform: NodeJS.Platform,
): ServicePlan {
  const command = [...trawlCommand, 'serve']
  const variables = ['PATH', ...keptVariables].flatMap((name): [string, string][] => {
    const value = env[name]
    return value ? [[name, value]] : []
  })
  if (platform === 'linux')
    return systemdPlan(command, variables, env.XDG_CONFIG_HOME || join(homeDir, '.config'))
  if (platform === 'darwin') return launchdPlan(command, variables, homeDir)
  throw new Refusal('configuration', 'There is no service for this system. Start it yourself: trawl serve')
}

function systemdPlan(
  command: readonly string[],
  variables: [string, string][],
  configHome: string,
): ServicePlan {
  const text = `[Unit]
Description=Trawl, the search over coding-agent sessions

[Service]
ExecStart=${command.map((word) => systemdWord(word.replaceAll('$', '$$$$'))).join(' ')}
${variables.map(([name, value]) => `Environment=${systemdWord(`${name}=${value}`)}`).join('\n')}
ExecReload=/bin/kill -HUP $MAINPID
Restart=on-failure
RestartSec=5

[Install]
WantedBy=default.target
`
  const systemctl = (...words: string[]) => ['systemctl', '--user', ...words]
  return {
    file: join(configHome, 'systemd', 'user', 'trawl.service'),
    text,
    install: [systemctl('daemon-reload'), systemctl('enable', '--now', 'trawl.service')],
    uninstall: [systemctl('disable', '--now', 'trawl.service'), systemctl('daemon-reload')],
  }
}

/** In double quotes, with what systemd would expand written twice. */
function systemdWord(word: string): string {
  const text = word.replaceAll('\\', '\\\\').replaceAll('"', '\\"').replaceAll('%', '%%')

  return `"${text}"`
}

function launchdPlan(
  command: readonly string[],
  variables: [string, string][],
  homeDir: string,
): ServicePlan {
  const file = join(homeDir, 'Library', 'LaunchAgents', `${label}.plist`)
  const text = `<?xml version="1.0" encoding="UTF-8"?>
<!DOCTYPE plist PUBLIC "-//Apple//DTD PLIST 1.0//EN" "http://www.apple.com/DTDs/PropertyList-1.0.dtd">
<plist version="1.0">
<dict>
  <key>Label</key><string>${label}</string>
  <key>ProgramArguments</key>
  <array>
${command.map((word) => `    <string>${xml(word)}</string>`).join('\n')}
  </array>
  <key>EnvironmentVariables</key>
  <dict>
${variables.map(([name, value]) => `    <key>${xml(name)}</key><string>${xml(value)}</string>`).join('\n')}
  </dict>
  <key>RunAtLoad</key><true/>
  <key>KeepAlive</key><dict><key>SuccessfulExit</key><false/></dict>
</dict>
</plist>
`
  return {
    file,
    text,
    install: [['launchctl', 'load', '-w', file]],
    uninstall: [['launchctl', 'unload', '-w', file]],
  }
}

function xml(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')
}
