import { afterEach, describe, expect, it } from 'vitest'
import anzData from '../../integrations/anz-data/manifest.ts'
import contactData from '../../integrations/contact-data/manifest.ts'
import { createPack } from '../../shared/pack.ts'
import { startAnzSandbox } from '../../shared/sandbox/anz/index.ts'
import { startContactSandbox } from '../../shared/sandbox/contact/index.ts'
import type { ContactProfile } from '../../shared/sandbox/contact/index.ts'

const caller = { tenant: 'default' }
const ends: (() => Promise<void>)[] = []
afterEach(async () => {
  for (const end of ends.splice(0).reverse()) await end()
})

/** Connects an account under a ready profile at the sandbox that speaks it. */
const connectAt = async (id: string, profile: string, key?: string) => {
  const sandbox = id === 'anz-data' ? await startAnzSandbox({ profile: 'firmable' }) : await startContactSandbox({ profile: profile as ContactProfile })
  ends.push(() => sandbox.close())
  const pack = await createPack({
    integrations: [anzData, contactData],
    wire: { [id]: { ...sandbox.override, profile } },
    egress: { privateOrigins: [sandbox.origin] },
  })
  ends.push(() => pack.close())
  const connect = () => pack.connections.create(caller, { integration: id, type: 'api-key', secrets: { apiKey: key ?? sandbox.credentials.apiKey } })
  return { sandbox, pack, connect }
}

const ready = [contactData, anzData].flatMap(({ id, profiles = {} }) => Object.keys(profiles).map((profile) => [id, profile] as const))

describe('the free test of a ready profile', () => {
  it.each(ready)('%s %s: proves a good key, refuses a bad one, and costs nothing', async (id, profile) => {
    const { connect, sandbox } = await connectAt(id, profile)
    expect(await connect()).toMatchObject({ state: 'connected', stateReason: null })
    expect(sandbox.control.counters().creditsCharged).toBe(0)
    const bad = await connectAt(id, profile, 'not-a-key-of-anybody')
    await expect(bad.connect()).rejects.toMatchObject({ code: 'not_connected' })
  })
})
