import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { requireSandboxProfiles } from '../../shared/faces/cli/index.ts'
import { readConfiguration, withPicked } from '../../shared/settings.ts'
import { readOverrides } from '../../shared/faces/cli/overrides.ts'
import { createPack } from '../../shared/pack.ts'
import { integrations } from '../../integrations/index.ts'
import { spokenProfiles, startSandbox } from '../../shared/sandbox/index.ts'
import { startSandboxOnStoredPorts } from '../../shared/sandbox/stored-ports.ts'
import { quietPorts } from '../support/ports.ts'

const caller = { tenant: 'default' }
const spoken = Object.entries(spokenProfiles).flatMap(([id, names]) => names.map((name) => [id, name] as const))

/** What the command line does with the profiles it is given, up to the pack. */
const configured = (picked: string[], env: Record<string, string> = {}) =>
  withPicked(readConfiguration(env, '/srv/pack'), picked)

it('the sandbox speaks each profile that integrations have ready', () => {
  for (const [id, names] of Object.entries(spokenProfiles)) {
    const { wire, profiles = {} } = integrations.find((candidate) => candidate.id === id)!
    expect([id, new Set(names)]).toEqual([id, new Set([wire.profile, ...Object.keys(profiles)])])
  }
})

describe('a sandbox that speaks a profile', () => {
  it.each(spoken)('%s: %s is spoken by the pack too, and its example finds somebody', async (id, name) => {
    const profiles = { [id]: name }
    const sandbox = await startSandbox({ profiles })
    const pack = await createPack({
      wire: sandbox.wire,
      egress: { ownOrigins: sandbox.places.map(({ origin }) => origin) },
    })
    try {
      for (const { integration, type, name: title, secrets } of sandbox.accounts.filter(
        ({ integration: integrationId }) => integrationId === id,
      ))
        await pack.connections.create(caller, { integration, type, name: title, secrets })
      const examples = sandbox.examples().lookups
      expect(examples.map(({ profile }) => profile)).toEqual(name === 'documented' ? [] : [name])
      for (const { step, input } of examples) {
        const [integration = '', stepId = ''] = step.split('/')
        const outcome = await pack.steps.run(caller, { integration, step: stepId, input })
        expect(outcome).toMatchObject({
          ok: true,
          value: { matched: true, record: { lastName: expect.stringMatching(/^alcott$/i) } },
        })
      }
      const place = sandbox.places.find(({ integration }) => integration === id)!
      expect(place.profile).toBe(name === 'documented' ? undefined : name)
    } finally {
      await pack.close()
      await sandbox.close()
    }
  })

  it('leaves the others as the documents show', async () => {
    const sandbox = await startSandbox({ profiles: { 'contact-data': 'hunter', 'anz-data': 'no-such-profile' } })
    expect([sandbox.contact.override, sandbox.anz.override.profile]).toEqual([
      { profile: 'hunter', baseUrl: sandbox.contact.origin },
      'anz-data sandbox',
    ])
    await sandbox.close()
  })
})

describe('with ports that are kept', () => {
  let directory: string
  beforeEach(() => void (directory = mkdtempSync(join(tmpdir(), 'toolyard-profiles-'))))
  afterEach(() => rmSync(directory, { recursive: true, force: true }))

  it('another profile is at the same address', async () => {
    const [board, anz, contact, agent] = await quietPorts(4)
    writeFileSync(join(directory, 'sandbox-ports.json'), JSON.stringify({ board, anz, contact, agent }))
    const first = await startSandboxOnStoredPorts(directory)
    const { origin } = first.sandbox.contact
    await first.sandbox.close()
    const second = await startSandboxOnStoredPorts(directory, { 'contact-data': 'apollo' })
    expect(second.sandbox.contact.override).toEqual({ profile: 'apollo', baseUrl: origin })
    await second.sandbox.close()
  })
})

describe('--profile', () => {
  it('goes before TOOLYARD_PROFILES, can be repeated, and takes several at once', async () => {
    const env = { TOOLYARD_PROFILES: 'contact-data=hunter,anz-data=firmable' }
    expect(configured([], env).profiles).toEqual({ 'contact-data': 'hunter', 'anz-data': 'firmable' })
    expect(configured(['contact-data=apollo'], env).profiles).toEqual({
      'contact-data': 'apollo',
      'anz-data': 'firmable',
    })
    const both = { 'contact-data': { profile: 'apollo' }, 'anz-data': { profile: 'documented' } }
    expect(await readOverrides(configured(['contact-data=apollo', 'anz-data=documented']))).toEqual(both)
    expect(await readOverrides(configured(['contact-data=apollo,anz-data=documented']))).toEqual(both)
  })

  it.each([
    ['contact-data', /^--profile is not usable: "contact-data"\. Give <integration>=<profile>/],
    ['contact-data=', /^--profile is not usable/],
    ['contact-data=hunter,contact-data=apollo', /^--profile names contact-data twice/],
  ])('refuses %s', (text, message) => {
    expect(() => configured([text])).toThrow(
      expect.objectContaining({ code: 'invalid_input', message: expect.stringMatching(message) }),
    )
  })

  it.each([
    [
      'contact-data=nosuch',
      /^--profile is not usable.* contact-data has no profile "nosuch"\. Its profiles: documented, .*lusha-v3.*hunter/,
    ],
    ['contact-data=luhsa-v3', /Did you mean "lusha-v3"/],
    ['anz-data=lusha-v3', /anz-data has no profile "lusha-v3"\. Its profiles: documented, firmable/],
  ])('refuses %s with the names there are', async (text, message) => {
    await expect(readOverrides(configured([text]))).rejects.toMatchObject({
      code: 'invalid_input',
      message: expect.stringMatching(message),
    })
  })

  it('refuses for the sandbox what it does not speak, by whoever picked it', () => {
    const refuse = (configuration: Parameters<typeof requireSandboxProfiles>[0]) => () =>
      requireSandboxProfiles(configuration, { 'anz-data': ['documented', 'firmable'] })
    expect(refuse(configured(['work-board=x']))).toThrow(
      '--profile picks "x" for work-board, which the sandbox does not speak. It speaks anz-data: documented, firmable.',
    )
    expect(refuse(configured([], { TOOLYARD_PROFILES: 'anz-data=other' }))).toThrow(
      /^TOOLYARD_PROFILES picks "other" for anz-data/,
    )
    expect(refuse(configured(['anz-data=firmable']))).not.toThrow()
  })
})
