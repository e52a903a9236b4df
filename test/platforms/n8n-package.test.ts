import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { n8nPackage } from '../../scripts/packages/n8n/index.ts'
import { parcels } from '../packages/parcels.ts'
import { generate, run } from './n8n-package.ts'

let folder: string
beforeAll(() => void (folder = mkdtempSync(join(tmpdir(), 'toolyard-n8n-package-'))))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

describe("n8n's tools for verified community nodes", () => {
  it('build the package, and find no problem in it', async () => {
    await generate(join(folder, 'pack'), n8nPackage)
    const built = run(join(folder, 'pack'), 'n8n-node', 'build')
    expect(built.status, built.out).toBe(0)
    const linted = run(join(folder, 'pack'), 'n8n-node', 'lint')
    expect(linted.status, linted.out).toBe(0)
    expect(linted.out).not.toContain('✖')
  })

  it('build and accept an integration with every control', async () => {
    await generate(join(folder, 'parcels'), (packManifests) => n8nPackage({ ...packManifests, manifests: [parcels] }))
    const built = run(join(folder, 'parcels'), 'n8n-node', 'build')
    expect(built.status, built.out).toBe(0)
    const linted = run(join(folder, 'parcels'), 'n8n-node', 'lint')
    expect(linted.status, linted.out).toBe(0)
    expect(linted.out).not.toContain('✖')
  })

  it('find planted problems', () => {
    const change = (name: string, from: string, to: string) => {
      const file = join(folder, 'parcels/nodes/ParcelPost', name)
      writeFileSync(file, readFileSync(file, 'utf8').replace(from, to))
    }
    change('ParcelPost.node.ts', 'usableAsTool: true,', '')
    change('parcelProperties.ts', "displayName: 'Depot'", "displayName: 'depot'")
    const { status, out } = run(join(folder, 'parcels'), 'n8n-node', 'lint')
    expect(status).not.toBe(0)
    expect(out).toMatch(/node-usable-as-tool/)
    expect(out).toMatch(/node-param-display-name-miscased/)
  })
})
