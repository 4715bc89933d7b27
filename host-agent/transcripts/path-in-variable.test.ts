import { describe, expect, it } from 'vitest'
import { pathInVariable } from './path-in-variable.ts'

describe('pathInVariable', () => {
  const linux = (env: Readonly<Record<string, string>>) => ({
    homeDir: '/home/dev',
    platform: 'linux' as const,
    env,
  })
  const windows = (env: Readonly<Record<string, string>>) => ({
    homeDir: 'C:\\Users\\dev',
    platform: 'win32' as const,
    env,
  })

  it('takes absolute paths by the rules of the platform, and ~ for the home', () => {
    expect(pathInVariable(linux({ A: '/opt/a//b/' }), 'A')).toBe('/opt/a/b')
    expect(pathInVariable(linux({ A: '/' }), 'A')).toBe('/')
    expect(pathInVariable(linux({ A: '~/x' }), 'A')).toBe('/home/dev/x')
    expect(pathInVariable(linux({ A: '~' }), 'A')).toBe('/home/dev')
    expect(pathInVariable(windows({ A: 'D:\\data\\' }), 'A')).toBe('D:\\data')
    expect(pathInVariable(windows({ A: 'D:\\' }), 'A')).toBe('D:\\')
    expect(pathInVariable(windows({ A: '~\\x' }), 'A')).toBe('C:\\Users\\dev\\x')
  })

  it('takes the first variable that names one', () => {
    expect(pathInVariable(linux({ B: '/b', C: '/c' }), 'A', 'B', 'C')).toBe('/b')
    expect(pathInVariable(linux({ A: 'relative', B: '/b' }), 'A', 'B')).toBe('/b')
    expect(pathInVariable(linux({ A: '', B: '~other/x' }), 'A', 'B')).toBeNull()
  })
})
