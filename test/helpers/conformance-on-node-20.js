// Loaded before the MCP conformance command on Node 20: that imports `globSync` of node:fs, which Node has from 22 on, for
// scenarios that are not run here.
import { register } from 'node:module'

const hooks = `
const withGlob = 'data:text/javascript,export * from "node:fs"; export const globSync = undefined'
export async function resolve(specifier, context, next) {
  const asks = specifier === 'fs' && context.parentURL.includes('/conformance/')
  return asks ? { url: withGlob, shortCircuit: true } : await next(specifier, context)
}`
register(`data:text/javascript,${encodeURIComponent(hooks)}`, import.meta.url)
