import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { createHttp } from '../../shared/faces/http/index.ts'
import { createPack } from '../../shared/pack.ts'
import type { Pack } from '../../shared/pack.ts'
import { integrations } from '../data/harness.ts'
import { runLine } from '../support/command-line.ts'
import { startProvider } from '../support/provider.ts'

const caller = { tenant: 'default' }
const key = 'a-key-of-the-test-0001'
const auth = { 'api-key': { place: 'header', fields: { 'x-api-key': '{apiKey}' } } }
const endpoints = {
  'enrich-person': { probe: { values: { email: 'nobody@wattle.example' }, credits: 0 } },
  'enrich-company': { path: '/v0/company', probe: { values: { domain: 'wattle.example' }, credits: 0 } },
  'search-people': { probe: { values: { company: 'Wattle' }, credits: 2 } },
}
const validKey = [{ status: 402, path: 'code', equals: 'no_credits' }]

let provider: Awaited<ReturnType<typeof startProvider>>
let pack: Pack
let id: string
let isBroke = false
let refusal: string | undefined

const open = async (wire: Record<string, unknown> = {}) => {
  pack = await createPack({
    integrations,
    wire: { 'anz-data': { baseUrl: provider.origin, auth, validKey, ...wire } },
    egress: { privateOrigins: [provider.origin] },
  })
  ;({ id } = await pack.connections.create(caller, {
    integration: 'anz-data',
    type: 'api-key',
    name: 'Main',
    secrets: { apiKey: key },
  }))
}
beforeEach(async () => {
  isBroke = false
  refusal = undefined
  provider = await startProvider(({ url, headers }, response) => {
    const answers: Record<string, [number, unknown]> = {
      '/enrich/person': isBroke ? [402, { code: 'no_credits' }] : [404, { error: 'Person not found' }],
      '/search/people': [200, { results: [{ full_name: 'Aroha Field' }] }],
    }
    if (refusal !== undefined) answers['/enrich/person'] = [400, { message: refusal }]
    const [status, body] =
      headers['x-api-key'] === key ? (answers[url!] ?? [404, { message: 'not found' }]) : [401, { message: 'no key' }]
    response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body))
  })
})
afterEach(async () => {
  await pack.close()
  await provider.close()
})
const states = async (spend?: boolean) => {
  const { endpoints: endpointChecks } = await pack.connections.wireCheck(caller, id, { spend })
  return Object.fromEntries(endpointChecks.map(({ endpoint, state, says }) => [endpoint, [state, says]]))
}
const sent = () => provider.seen.map(({ url }) => url)

const command = async (argv: string[], answer?: string, env: Record<string, string> = {}) => {
  const questions: string[] = []
  const ask = async (question: string) => {
    questions.push(question)
    return answer!
  }
  const line = await runLine(argv, { pack, env, width: 400, ...(answer === undefined ? {} : { ask }) })
  return { ...line, asked: questions }
}

describe('a check of the wire', () => {
  it('is in the history and the ledger of the person whom it is for', async () => {
    await open({ endpoints })
    await pack.connections.wireCheck({ ...caller, person: 'ann' }, id, { spend: true })
    const { items } = await pack.runs.list(caller, { limit: 5 }, { person: 'ann' })
    expect(items.map(({ step }) => step)).toEqual(['wire-check'])
    const entries = await pack.ledger.list(caller, { limit: 5 }, { person: 'ann' })
    expect(new Set(entries.items.map(({ step }) => step))).toEqual(new Set(['wire-check']))
  })

  it('tries each endpoint by its probe and says what that showed', async () => {
    await open({ endpoints })
    expect(await states()).toEqual({
      'enrich-person': ['ok', 'It answered that it has no such record.'],
      'enrich-company': [
        'wrong',
        expect.stringMatching(/address may be wrong.*wire\.anz-data\.endpoints\.enrich-company\.path/),
      ],
      'search-people': ['untried', 'Trying it may cost 2 credits.'],
    })
    expect(sent()).toEqual(['/enrich/person', '/v0/company'])
    expect(await pack.connections.get(caller, id)).toMatchObject({ state: 'unverified' })
  })

  it('takes a refusal of the probe for a sign of the key, and of nothing else', async () => {
    const refused = [...validKey, { status: 400, path: 'message', contains: 'email' }]
    await open({ endpoints: { ...endpoints, 'enrich-company': { probe: undefined } }, validKey: refused })
    refusal = '"email" is unknown'
    const says = expect.stringContaining('the key works') as string
    expect((await states())['enrich-person']).toEqual(['untried', says])
    expect(await pack.connections.get(caller, id)).toMatchObject({ state: 'connected' })
  })

  it('sends what may cost credits only where it is told to, counts it, and remembers a match', async () => {
    await open({ endpoints })
    expect((await states(true))['search-people']).toEqual(['ok', 'It answered with a record.'])
    expect(await pack.connections.get(caller, id)).toMatchObject({ state: 'connected' })
    expect((await pack.runs.list(caller, { limit: 5 })).items).toMatchObject([
      { step: 'wire-check', credits: 2, creditsEstimated: true, calls: 1 },
    ])
    expect((await states())['search-people']).toEqual(['ok', 'It has given this connection a match.'])
    expect(sent().filter((url) => url === '/search/people')).toHaveLength(1)
  })

  it('reserves what it may spend, within the budgets, and settles it', async () => {
    await open({ endpoints })
    const { id: budget } = await pack.budgets.create(caller, { scope: 'tenant', credits: 3, period: 'total' })
    expect((await states(true))['search-people']![0]).toBe('ok')
    const rows = (await pack.ledger.list(caller, { limit: 50 })).items
    expect(rows.map(({ step, kind, credits }) => [step, kind, credits])).toEqual(
      expect.arrayContaining([
        ['wire-check', 'reserved', 2],
        ['wire-check', 'settled', 2],
      ]),
    )
    expect(await pack.budgets.get(caller, budget)).toMatchObject({ spent: 2, reserved: 0 })
    const before = sent().length
    const { endpoints: endpointChecks } = await pack.connections.wireCheck(caller, id, { spend: true })
    expect(endpointChecks.find(({ endpoint }) => endpoint === 'search-people')).toMatchObject({
      state: 'untried',
      failure: { code: 'budget_exceeded' },
    })
    expect(sent().slice(before)).not.toContain('/search/people')
    expect(await pack.budgets.get(caller, budget)).toMatchObject({ spent: 2, reserved: 0 })
  })

  it('spends credits only for tokens that may send requests of any kind', async () => {
    await open({ endpoints })
    for (const limits of [{ scopes: ['connections' as const] }, { steps: ['anz-data/people-search'] }]) {
      const bound = { ...caller, ...limits }
      await expect(pack.connections.wireCheck(bound, id, { spend: true })).rejects.toMatchObject({
        code: 'not_allowed',
      })
      expect(sent()).toEqual([])
    }
    await pack.connections.wireCheck({ ...caller, scopes: ['connections'] }, id)
    expect(sent()).not.toContain('/search/people')
  })

  it('of the documented profile says that no harmless request is known, and sends nothing', async () => {
    await open()
    for (const [state, says] of Object.values(await states(true)))
      expect([state, says]).toEqual(['untried', expect.stringContaining('No request is known')])
    expect(sent()).toEqual([])
  })

  it('takes a refusal that only a valid key gets for an endpoint that answers, and for proof of the key', async () => {
    isBroke = true
    await open({ endpoints })
    expect((await states())['enrich-person']![0]).toBe('ok')
    expect(await pack.connections.get(caller, id)).toMatchObject({ state: 'connected' })
  })

  it('with the key in the wrong place names that setting', async () => {
    await open({ endpoints, auth: { 'api-key': { place: 'header', fields: { authorization: 'Bearer {apiKey}' } } } })
    expect((await states())['enrich-person']).toEqual(['wrong', expect.stringContaining('wire.anz-data.auth.api-key')])
  })

  it('says which path is not set, and of another tenant finds no connection', async () => {
    await open({ endpoints: { 'enrich-person': { path: null } } })
    expect((await states())['enrich-person']).toEqual([
      'untried',
      'Its path is not set: "wire.anz-data.endpoints.enrich-person.path".',
    ])
    await expect(pack.connections.wireCheck({ tenant: 'other' }, id)).rejects.toMatchObject({ code: 'not_found' })
  })
})

describe('POST /v1/connections/{id}/wire-check', () => {
  const post = async () => {
    const http = await createHttp({ pack, version: '0.0.0' })
    const url = await http.listen({ host: '127.0.0.1', port: 0 })
    const { text } = await pack.tokens.create('default', { name: 'Checks', scopes: ['connections', 'run'] })
    const check = async (idempotencyKey: string | undefined, spend = true, of = id) => {
      const headers = {
        authorization: `Bearer ${text}`,
        'content-type': 'application/json',
        ...(idempotencyKey === undefined ? {} : { 'idempotency-key': idempotencyKey }),
      }
      const response = await fetch(`${url}/v1/connections/${of}/wire-check`, {
        method: 'POST',
        headers,
        body: JSON.stringify({ spend }),
      })
      return [response.status, await response.json()] as [number, Record<string, unknown>]
    }
    return { check, close: () => http.close() }
  }
  const paid = () => sent().filter((url) => url === '/search/people').length

  it('repeated with its Idempotency-Key returns what was found and pays nothing again', async () => {
    await open({ endpoints })
    const { check, close } = await post()
    try {
      const [first, meanwhile] = await Promise.all([check('check-1'), check('check-1')])
      expect([first[0], paid()]).toEqual([200, 1])
      expect(first[1]).toMatchObject({ endpoints: [{ state: 'ok' }, { state: 'wrong' }, { state: 'ok', credits: 2 }] })
      expect(meanwhile).toEqual(first)
      expect(await check('check-1')).toEqual(first)
      expect(paid()).toBe(1)
      expect((await check('check-2'))[0]).toBe(200)
      expect((await check(undefined))[0]).toBe(200)
      expect(paid()).toBe(3)
    } finally {
      await close()
    }
  })

  it('replays nothing of a key to a token that is bound to other steps', async () => {
    await open({ endpoints })
    const by = { ...caller, token: 't', scopes: ['connections' as const, 'run' as const] }
    const check = (bounds: object) =>
      pack.connections.wireCheck({ ...by, ...bounds }, id, { spend: true, idempotencyKey: 'check-1' })
    expect(await check({})).toMatchObject({ endpoints: expect.anything() })
    await expect(check({ steps: ['anz-data/people-enrichment'] })).rejects.toMatchObject({ code: 'conflict' })
    expect(paid()).toBe(1)
  })

  it('refuses a key of another check, and keeps none for a connection that is not there', async () => {
    await open({ endpoints })
    const { check, close } = await post()
    try {
      expect((await check('check-1', true, 'con_none'))[0]).toBe(404)
      expect((await check('check-1'))[0]).toBe(200)
      expect(await check('check-1', false)).toMatchObject([409, { code: 'conflict' }])
      expect((await check('no spaces'))[0]).toBe(400)
      expect(paid()).toBe(1)
    } finally {
      await close()
    }
  })
})

describe('toolyard wire check', () => {
  it('prints each endpoint and exits 1 when one is wrong', async () => {
    await open({ endpoints })
    const { code, out, asked: questions } = await command(['wire', 'check', 'anz-data'])
    expect([code, questions]).toEqual([1, []])
    expect(out).toMatch(/Profile "documented", connection "Main"/)
    expect(out).toMatch(/^ok +enrich-person +It answered/m)
    expect(out).toMatch(/^WRONG +enrich-company +.*endpoints\.enrich-company\.path/m)
    expect(out).toMatch(/^- +search-people +Trying it may cost 2 credits\./m)
    expect(out).toContain('wire check anz-data --spend')
  })

  it('asks on a terminal before it spends credits', async () => {
    await open({ endpoints })
    const no = await command(['wire', 'check', 'anz-data', '-c', 'Main'], 'n')
    expect(no.asked).toEqual(['Trying the rest may cost 2 credits of "Main". Spend them? [y/N] '])
    expect(sent()).not.toContain('/search/people')
    const yes = await command(['wire', 'check', 'anz-data'], 'y')
    expect(yes.out).toMatch(/^ok +search-people +It answered with a record/m)
  })

  it('prints JSON, and never asks then', async () => {
    await open({ endpoints })
    const { out, asked: questions } = await command(['wire', 'check', 'anz-data', '--json', '--spend'], 'y')
    expect(questions).toEqual([])
    expect(JSON.parse(out)).toMatchObject({
      integration: 'anz-data',
      endpoints: [{ endpoint: 'enrich-person', state: 'ok' }, {}, { state: 'ok', credits: 2 }],
    })
  })

  it('without a connection says how to connect one', async () => {
    await open()
    const { code, err } = await command(['wire', 'check', 'contact-data'])
    expect([code, err]).toEqual([8, expect.stringContaining('connect contact-data')])
  })
})

describe('toolyard doctor', () => {
  it('tries what is harmless, and names the settings of an endpoint that is wrong', async () => {
    await open({ endpoints })
    const http = await createHttp({ pack, version: '0.0.0' })
    try {
      const url = await http.listen({ host: '127.0.0.1', port: 0 })
      const { text } = await pack.tokens.create('default', {
        name: 'Doctor',
        scopes: ['connections', 'read', 'run', 'admin'],
      })
      const { code, out } = await command(['doctor', '--json'], undefined, { TOOLYARD_URL: url, TOOLYARD_TOKEN: text })
      const { findings } = JSON.parse(out) as {
        findings: { check: string; state: string; says: string; remedy?: string }[]
      }
      expect(findings.filter(({ check }) => check === 'endpoints of "Main"')).toEqual([
        {
          check: 'endpoints of "Main"',
          state: 'wrong',
          says: expect.stringMatching(/^enrich-company: .*wire\.anz-data\.endpoints\.enrich-company\.path/),
          remedy: expect.stringContaining('wire check anz-data'),
        },
      ])
      expect([code, sent().includes('/search/people')]).toEqual([1, false])
    } finally {
      await http.close()
    }
  })
})
