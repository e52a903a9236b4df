import { readFileSync } from 'node:fs'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { vocabulary } from '../../integrations/work-board/vocabulary.ts'
import { operations } from '../../integrations/work-board/operations.ts'
import { createPack } from '../../shared/pack.ts'
import type { Pack } from '../../shared/pack.ts'
import { stem } from '../../shared/runtime/catalogue/plain-words.ts'
import { createSearch } from '../../shared/runtime/catalogue/search-operations.ts'
import { startProvider } from '../support/provider.ts'
import { growth } from '../support/growth.ts'

/**
 * Written before the search, by somebody who saw the titles of the operations alone. Some questions have several right
 * answers.
 */
const questions = JSON.parse(readFileSync(new URL('questions.json', import.meta.url), 'utf8')) as {
  question: string
  answers: string[]
}[]
const keyOf = ({ method, path }: { method: string; path: string }) => `${method} ${path}`

describe('the search of endpoints', () => {
  it('finds the right one among its first three for 36 of 40 plain questions', () => {
    const search = createSearch(operations, vocabulary)
    const knownKeys = new Set(operations.map(keyOf))
    const missed = questions.filter(({ question, answers }) => {
      expect(answers.filter((answer) => !knownKeys.has(answer))).toEqual([])
      return !search
        .find(question, () => true, 3)
        .map(keyOf)
        .some((key) => answers.includes(key))
    })
    expect(questions).toHaveLength(40)
    expect(missed.length, JSON.stringify(missed, null, 1)).toBeLessThanOrEqual(4)
  })

  it('needs no words of the provider for what titles and paths say', () => {
    const search = createSearch(operations)
    const first = (question: string) => search.find(question, () => true, 1).map(keyOf)
    expect(first('get the lists of a board')).toEqual(['GET /1/boards/{id}/lists'])
    expect(first('which list is a card on?')).toEqual(['GET /1/cards/{id}/list'])
    // Said by the order of the words alone.
    expect([first('the cards of a list'), first('the list of a card')]).toEqual([
      ['GET /1/lists/{id}/cards'],
      ['GET /1/cards/{id}/list'],
    ])
    expect(first('deleting labels')).toEqual(['DELETE /1/labels/{id}'])
    expect(first('create an organisation')).toEqual(['POST /1/organizations'])
    expect(first('xyzzy')).toEqual([])
  })

  it('takes the forms of a word for one, and a question of any length without a look at all of it', async () => {
    for (const forms of [
      'archive archives archived archiving',
      'label labels',
      'reply replies',
      'search searches searching',
      'stop stopped stopping',
    ])
      expect(new Set(forms.split(' ').map(stem)).size, forms).toBe(1)
    const search = createSearch(operations, vocabulary)
    search.find('a card', () => true, 1)
    expect(
      await growth(8_000, (size) => search.find('organisational zzzzzzzz '.repeat(size), () => true, 25)),
    ).toBeLessThan(9)
  })
})

describe('the step', () => {
  const caller = { tenant: 'default' }
  let provider: Awaited<ReturnType<typeof startProvider>>
  let pack: Pack
  const find = (input: Record<string, unknown>, more: object = {}) =>
    pack.steps.run(caller, { integration: 'work-board', step: 'find-endpoints', input, ...more })
  const findEndpoints = async (input: Record<string, unknown>, more: object = {}) => {
    const outcome = await find(input, more)
    if (!outcome.ok) throw new Error(outcome.failure.message)
    return outcome.value as {
      endpoints: {
        method: string
        path: string
        allowed: boolean
        reason?: string
        parameters: { name: string; in: string }[]
      }[]
      known: number
    }
  }

  beforeAll(async () => {
    provider = await startProvider((_, response) => {
      response.writeHead(200, { 'content-type': 'application/json' })
      response.end('{"id":"5abbe4b7ddc1b351ef961414"}')
    })
    const pace = { limits: [], concurrency: 8 }
    pack = await createPack({
      wire: { 'work-board': { baseUrl: provider.origin, pace } },
      egress: { privateOrigins: [provider.origin] },
    })
  })
  afterAll(async () => {
    await pack.close()
    await provider.close()
  })

  it('answers without a connection, sends nothing and is in the history', async () => {
    const outcome = await find({ query: 'rename a board', limit: 2 })
    expect(outcome).toMatchObject({
      ok: true,
      value: {
        endpoints: [{ method: 'PUT', path: '/1/boards/{id}', effect: 'update', allowed: true }, {}],
        known: 255,
      },
    })
    expect(outcome.meta).toMatchObject({ attempts: 0 })
    expect(outcome.meta).not.toHaveProperty('credits')
    expect(provider.seen).toEqual([])
    expect((await pack.runs.list(caller, { limit: 1 })).items).toMatchObject([
      { step: 'find-endpoints', state: 'done', effect: 'read', calls: 0 },
    ])
    expect(await find({ query: 'rename a board' }, { dryRun: true })).toMatchObject({
      ok: true,
      value: { requests: [], complete: true },
      meta: { dryRun: true },
    })
  })

  it('takes a method and a number of endpoints', async () => {
    const { endpoints } = await findEndpoints({ query: 'a card', method: 'delete', limit: 4 })
    expect(endpoints.map(({ method }) => method)).toEqual(['DELETE', 'DELETE', 'DELETE', 'DELETE'])
    expect((await findEndpoints({ query: 'a card' })).endpoints).toHaveLength(5)
    expect(await find({ query: '' })).toMatchObject({ ok: false, failure: { code: 'invalid_input' } })
    expect(await find({ query: 'a card', limit: 26 })).toMatchObject({
      ok: false,
      failure: { code: 'invalid_input', errors: [{ pointer: '/limit' }] },
    })
  })

  it('says what the policy refuses, and what a connection may not do', async () => {
    const [hook] = (await findEndpoints({ query: 'create a webhook', method: 'POST' })).endpoints
    expect(hook).toMatchObject({
      path: '/1/webhooks',
      allowed: false,
      reason: expect.stringContaining('Attach a trigger instead.'),
    })
    const [member] = (await findEndpoints({ query: 'get a member', method: 'GET' })).endpoints
    expect(member!.parameters.map(({ name }) => name)).not.toContain('tokens')
    await pack.connections.create(caller, {
      integration: 'work-board',
      type: 'key-token',
      name: 'Reader',
      secrets: { key: '0'.repeat(32), token: 'f'.repeat(64) },
      policy: { methods: ['GET'] },
    })
    provider.seen.length = 0
    const [rename] = (await findEndpoints({ query: 'rename a board' }, { connection: 'Reader' })).endpoints
    expect(rename).toMatchObject({ path: '/1/boards/{id}', allowed: false, reason: expect.stringContaining('PUT') })
    expect((await findEndpoints({ query: 'rename a board' })).endpoints[0]).toMatchObject({ allowed: false })
    expect(await find({ query: 'rename a board' }, { connection: 'Nobody' })).toMatchObject({
      ok: false,
      failure: { code: 'not_found' },
    })
    expect(provider.seen).toEqual([])
  })

  it('shows the endpoints of the data providers with their price', async () => {
    const outcome = await pack.steps.run(caller, {
      integration: 'contact-data',
      step: 'find-endpoints',
      input: { query: 'enrich many people at once', limit: 1 },
    })
    expect(outcome).toMatchObject({
      ok: true,
      value: {
        endpoints: [
          {
            method: 'POST',
            path: '/person/bulk',
            body: 'list',
            price: 'credits per record in the batch',
            allowed: true,
          },
        ],
        known: 4,
      },
    })
  })
})
