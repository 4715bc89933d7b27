import { describe, expect, it } from 'vitest'
import { nothingBeside } from '../../test/helpers/fold-transcript.ts'
import { pathOfFileUri, vscodeUserFolders, vscodeWorkspaceFolder } from './vscode-places.ts'

describe('vscodeUserFolders', () => {
  it('knows the editors and their servers on Linux', () => {
    const folders = vscodeUserFolders({ homeDir: '/home/dev', platform: 'linux', env: {} })
    expect(folders).toEqual(
      expect.arrayContaining([
        '/home/dev/.config/Code/User',
        '/home/dev/.config/Cursor/User',
        '/home/dev/.vscode-server/data/User',
        '/home/dev/.local/share/code-server/User',
      ]),
    )
    const moved = vscodeUserFolders({
      homeDir: '/home/dev',
      platform: 'linux',
      env: { XDG_CONFIG_HOME: '/etc/dev' },
    })
    expect(moved[0]).toBe('/etc/dev/Code/User')
  })

  it('joins as macOS and Windows do', () => {
    expect(vscodeUserFolders({ homeDir: '/Users/dev', platform: 'darwin', env: {} })[0]).toBe(
      '/Users/dev/Library/Application Support/Code/User',
    )
    const windows = { homeDir: 'C:\\Users\\dev', platform: 'win32', env: { APPDATA: 'D:\\Data' } } as const
    expect(vscodeUserFolders(windows)[0]).toBe('D:\\Data\\Code\\User')
    expect(vscodeUserFolders({ ...windows, env: {} })[0]).toBe('C:\\Users\\dev\\AppData\\Roaming\\Code\\User')
  })

  it('looks into a portable editor first', () => {
    const env = { VSCODE_PORTABLE: '/opt/code/data' }
    expect(vscodeUserFolders({ homeDir: '/home/dev', platform: 'linux', env })[0]).toBe(
      '/opt/code/data/user-data/User',
    )
  })
})

describe('pathOfFileUri', () => {
  it.each([
    ['file:///home/dev/my%20app', '/home/dev/my app'],
    ['file:///c%3A/Users/dev/app', 'c:\\Users\\dev\\app'],
    ['file:///D:/work', 'D:\\work'],
    ['vscode-remote://ssh-remote%2Bbox/home/dev', null],
    ['file:///bad%E0%A4%A', null],
    ['/home/dev', null],
  ])('reads %s', (uri, path) => {
    expect(pathOfFileUri(uri)).toBe(path)
  })
})

describe('vscodeWorkspaceFolder', () => {
  it('takes the one folder of a window', () => {
    const read = (text: string) =>
      vscodeWorkspaceFolder({ ...nothingBeside, parsed: (_, parse) => parse(text) }, '/x/workspace.json')
    expect(read('{"folder":"file:///work/app"}')).toBe('/work/app')
    expect(read('{"workspace":"file:///work/all.code-workspace"}')).toBeNull()
    expect(read('{"folder":')).toBeNull()
    expect(vscodeWorkspaceFolder(nothingBeside, '/x/workspace.json')).toBeNull()
  })
})
