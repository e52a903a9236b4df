import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { pieces } from '../../scripts/packages/activepieces/index.ts'
import { readManifests } from '../../scripts/packages/manifests.ts'

it.each([
  ['of another integration', { id: '../../x' }, 'is not the manifest of contact-data'],
  ['with a path as an id', { steps: [{ id: '../../../x' }] }, 'holds the id "../../../x"'],
  ['with a line of code as an id', { triggers: [{ id: 'x\nprocess.exit()' }] }, 'ids have small letters'],
  ['without steps', { steps: null }, 'has no steps'],
])('a manifest %s is refused, and nothing is written', (_, change, says) => {
  const folder = mkdtempSync(join(tmpdir(), 'toolyard-manifests-'))
  try {
    const built = readManifests().manifests.find(({ id }) => id === 'contact-data')!
    const write = (manifest: object) => writeFileSync(join(folder, 'contact-data.json'), JSON.stringify(manifest))
    write({ ...built, ...change })
    expect(() => readManifests(folder)).toThrow(says)
    write({ ...built, icon: { light: '../../../../etc/passwd', dark: '/etc/passwd' } })
    expect(readManifests(folder).manifests.find(({ id }) => id === built.id)!.icon).toEqual(built.icon)
  } finally {
    rmSync(folder, { recursive: true })
  }
})

it('packages follow the manifests of a server where they are given', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'toolyard-manifests-'))
  try {
    const built = readManifests().manifests.find(({ id }) => id === 'contact-data')!
    const filter = {
      name: 'jobTitle',
      title: 'Job title',
      description: 'Part of a job title.',
      control: 'text',
      required: false,
      place: 'main',
    }
    const steps = built.steps.map((step) =>
      step.id === 'search-contacts' ? { ...step, layout: { ...step.layout, fields: [filter] } } : step,
    )
    writeFileSync(join(folder, 'contact-data.json'), JSON.stringify({ ...built, steps }))
    const packManifests = readManifests(folder)
    expect(packManifests.manifests.map(({ id }) => id)).toEqual(readManifests().manifests.map(({ id }) => id))
    expect(pieces(packManifests)['piece-toolyard-contact-data/src/lib/actions/search-contacts.ts']).toContain(
      "displayName: 'Job title'",
    )
  } finally {
    rmSync(folder, { recursive: true })
  }
})
