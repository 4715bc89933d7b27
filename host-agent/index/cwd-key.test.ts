import { describe, expect, it } from 'vitest'
import { cwdKey } from './cwd-key.ts'

describe('cwdKey', () => {
  it('[request.paths-of-host] keeps case and backslashes on POSIX', () => {
    expect(cwdKey('/Work/App', 'linux')).toBe('/Work/App')
    expect(cwdKey('/work/a\\b', 'linux')).toBe('/work/a\\b')
    expect(cwdKey('/Work', 'linux')).not.toBe(cwdKey('/work', 'linux'))
  })

  it('collapses repeated and trailing slashes, and keeps the root', () => {
    expect(cwdKey('//work///app//', 'linux')).toBe('/work/app')
    expect(cwdKey('/', 'linux')).toBe('/')
    expect(cwdKey('///', 'darwin')).toBe('/')
  })

  it('composes what is decomposed', () => {
    expect(cwdKey('/work/cafe\u0301', 'darwin')).toBe('/work/caf\u00e9')
  })

  it('[request.paths-of-host] folds separators and case of Windows paths', () => {
    expect(cwdKey('C:\\Users\\Me\\App\\', 'win32')).toBe('c:/users/me/app')
    expect(cwdKey('c:/users/me//app', 'win32')).toBe('c:/users/me/app')
    expect(cwdKey('\\\\Server\\Share\\x', 'win32')).toBe('//server/share/x')
    expect(cwdKey('\\\\?\\C:\\Users', 'win32')).toBe('c:/users')
    expect(cwdKey('\\\\?\\UNC\\Server\\Share', 'win32')).toBe('//server/share')
  })

  it('unifies the names of a WSL share', () => {
    const key = '//wsl/ubuntu/home/me'
    expect(cwdKey('\\\\wsl$\\Ubuntu\\home\\me', 'win32')).toBe(key)
    expect(cwdKey('\\\\wsl.localhost\\ubuntu\\home\\me\\', 'win32')).toBe(key)
  })

  it('has no key for what is no absolute path', () => {
    expect(cwdKey('work/app', 'linux')).toBeNull()
    expect(cwdKey('~/app', 'linux')).toBeNull()
    expect(cwdKey('', 'win32')).toBeNull()
  })
})
