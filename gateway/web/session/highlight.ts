/** Code cut into tokens, by the languages that stand in transcripts. A chunk of its own, loaded with the first code. */
import bash from '@speed-highlight/core/languages/bash.js'
import c from '@speed-highlight/core/languages/c.js'
import css from '@speed-highlight/core/languages/css.js'
import diff from '@speed-highlight/core/languages/diff.js'
import docker from '@speed-highlight/core/languages/docker.js'
import go from '@speed-highlight/core/languages/go.js'
import html from '@speed-highlight/core/languages/html.js'
import java from '@speed-highlight/core/languages/java.js'
import js from '@speed-highlight/core/languages/js.js'
import json from '@speed-highlight/core/languages/json.js'
import py from '@speed-highlight/core/languages/py.js'
import rs from '@speed-highlight/core/languages/rs.js'
import sql from '@speed-highlight/core/languages/sql.js'
import toml from '@speed-highlight/core/languages/toml.js'
import ts from '@speed-highlight/core/languages/ts.js'
import xml from '@speed-highlight/core/languages/xml.js'
import yaml from '@speed-highlight/core/languages/yaml.js'
import { type ShjLanguageData, tokenizeWith } from '@speed-highlight/core/tokenize'
import type { CodeToken } from './text-segments.ts'

/** The package's own types leave out that an absent member may be written as `undefined`. */
const languages = {
  bash,
  c,
  css,
  diff,
  docker,
  go,
  html,
  java,
  js,
  json,
  py,
  rs,
  sql,
  toml,
  ts,
  xml,
  yaml,
} as unknown as Readonly<Record<string, ShjLanguageData>>

/** What people write behind a fence, where it is not the language's name here. */
const aliases: ReadonlyMap<string, string> = new Map(
  Object.entries({
    bash: ['sh', 'shell', 'zsh', 'console'],
    c: ['cpp', 'c++', 'h'],
    css: ['scss'],
    diff: ['patch'],
    docker: ['dockerfile'],
    go: ['golang'],
    java: ['kotlin'],
    js: ['javascript', 'jsx', 'mjs'],
    json: ['jsonc'],
    py: ['python'],
    rs: ['rust'],
    toml: ['ini'],
    ts: ['typescript', 'tsx'],
    xml: ['svg'],
    yaml: ['yml'],
  }).flatMap(([name, others]) => others.map((other) => [other, name] as const)),
)

/** Beyond it colours are worth less than the time they take. */
const maxCodeUnits = 10_000
/** The grammars go through such a run once for each of its characters. */
const longRun = /\s{100}|\w{100}|[^\w\s]{100}/

/** @returns what makes up `code`; null where it is not known how to read it, or would take too long. */
export function tokensOf(code: string, language: string): CodeToken[] | null {
  const name = aliases.get(language) ?? language
  const grammar = Object.hasOwn(languages, name) ? languages[name] : undefined
  if (grammar === undefined || code.length > maxCodeUnits || longRun.test(code)) return null
  const tokens: CodeToken[] = []
  tokenizeWith(code, grammar, (text, kind) => tokens.push({ text, kind: kind ?? null }), { languages })
  // Whatever a grammar makes of hostile code, no character of it may be lost or changed.
  return tokens.map(({ text }) => text).join('') === code ? tokens : null
}
