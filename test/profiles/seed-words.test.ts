import { readFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import { createPack } from '../../shared/pack.ts'

const manifestsUnder = async (profiles: Record<string, string>) => {
  const wire = Object.fromEntries(Object.entries(profiles).map(([id, profile]) => [id, { profile }]))
  const pack = await createPack({ wire })
  try {
    return await Promise.all(pack.integrations.list().map(({ id }) => pack.integrations.manifest(id)))
  } finally {
    await pack.close()
  }
}

it('each integration of the pack says that the platform operator made it, and so do the documents', async () => {
  const manifests = await manifestsUnder({})
  for (const id of ['work-board', 'anz-data', 'contact-data'])
    expect(manifests.find((manifest) => manifest.id === id)?.summary, id).toMatch(
      /Made by the platform operator, not by the (data provider|vendor of the board)\.$/,
    )
  for (const page of ['docs/step-list.md', 'docs/data-providers.md'])
    expect(readFileSync(page, 'utf8')).toContain('made by the operator of the platform, not by the providers')
})

it('the account of the contact provider may be on a free plan with limited credits', async () => {
  const contact = (await manifestsUnder({})).find(({ id }) => id === 'contact-data')!
  expect(contact.connections[0]!.purpose).toContain('free plan with limited credits')
})

it('that more data matches better is said where the profile sends all of it, and only there', async () => {
  const descriptionUnder = async (profile: string) => {
    const contact = (await manifestsUnder({ 'contact-data': profile })).find(({ id }) => id === 'contact-data')!
    return contact.steps.find(({ id }) => id === 'find-contact')!.input.description
  }
  for (const profile of ['lusha-v3', 'people-data-labs', 'apollo'])
    expect(await descriptionUnder(profile), profile).toMatch(/^Give at least one of: .+\. Give all that you know: /)
  for (const profile of ['documented', 'hunter'])
    expect(await descriptionUnder(profile), profile).not.toContain('Give all')
})
