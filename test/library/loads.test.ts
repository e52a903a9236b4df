import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'

const root = fileURLToPath(new URL('../../', import.meta.url))

/** Packages of which a process loaded anything, by importing this file of ours. */
const packagesLoadedBy = (file: string): string[] => {
  const script = `
    import { registerHooks } from 'node:module'
    const urls = []
    registerHooks({ load(url, context, next) { urls.push(url); return next(url, context) } })
    await import(${JSON.stringify(`${root}${file}`)})
    console.log(JSON.stringify([...new Set(urls.flatMap((url) => /node_modules\\/((?:@[^/]+\\/)?[^/]+)\\//.exec(url)?.[1] ?? []))].sort()))
    process.exit()`
  const { stdout, stderr, status } = spawnSync(process.execPath, ['--input-type=module', '-e', script], {
    encoding: 'utf8',
  })
  if (status !== 0) throw new Error(stderr)
  return JSON.parse(stdout) as string[]
}

/** What only a server, a command line or a test needs. */
const servers = [
  'fastify',
  '@fastify/swagger',
  'fastify-type-provider-zod',
  'pino',
  'commander',
  'prom-client',
  '@modelcontextprotocol/server',
  '@modelcontextprotocol/node',
  'hono',
  'ky',
  'esbuild',
]

describe('the library entry point', () => {
  it('loads none of the packages of the server', () => {
    const loaded = packagesLoadedBy('shared/faces/library/index.ts')
    expect(loaded).toContain('zod')
    expect(loaded).toContain('undici')
    expect(loaded.filter((name) => servers.includes(name))).toEqual([])
    const { devDependencies } = JSON.parse(readFileSync(`${root}package.json`, 'utf8')) as {
      devDependencies: Record<string, string>
    }
    for (const name of loaded)
      expect(Object.keys({ ...devDependencies, ...inside }), `${name} is no dependency`).toContain(name)
  })

  it('is distinguished from one that does', () => {
    expect(packagesLoadedBy('shared/faces/http/plugin.ts')).toEqual(
      expect.arrayContaining(['fastify', 'fastify-type-provider-zod']),
    )
  })
})

/** Dependencies of our dependencies. */
const inside = Object.fromEntries(
  ['tldts-core', 'eventemitter3', 'p-timeout', 'oauth4webapi', '@stablelib/base64', 'fast-sha256'].map((name) => [
    name,
    '',
  ]),
)
