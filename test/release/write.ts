/**
 * Writes the contracts of the version in package.json, which the next changes are compared with: `node
 * test/release/write.ts`, when it is released.
 */
import { readFileSync, writeFileSync } from 'node:fs'
import { contractOf } from './contracts.ts'

const read = (path: string) => JSON.parse(readFileSync(new URL(path, import.meta.url), 'utf8'))

const { version } = read('../../package.json') as { version: string }
const { integrations } = read('../../manifests/pack.json') as { integrations: { id: string }[] }
const all = Object.fromEntries(integrations.map(({ id }) => [id, contractOf(read(`../../manifests/${id}.json`))]))
writeFileSync(new URL(`./${version}.json`, import.meta.url), `${JSON.stringify(all)}\n`)
