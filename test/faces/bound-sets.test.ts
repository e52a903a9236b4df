import { beforeAll, describe, expect, it } from 'vitest'
import { openHttpWorld } from '../support/http-world.ts'

const face = await openHttpWorld()

const foreign = [
  '/v1/steps/work-board/create-card',
  '/v1/steps/work-board/api-call',
  '/v1/steps/contact-data/find-contact',
] as const

describe('a token bound to a tool set', () => {
  let token: string
  beforeAll(async () => {
    ;({ text: token } = await face.pack.tokens.create('default', {
      name: 'Reader',
      scopes: ['run', 'read'],
      toolSet: 'read',
    }))
  })

  it.each([
    ...foreign.flatMap((path) => [
      [`${path}/run`, { input: {} }],
      [`${path}/run`, { input: {}, dryRun: true }],
      [`${path}/options`, { field: 'idList' }],
    ]),
    ['/v1/steps/work-board/set-custom-fields/fields', { values: {} }],
    ['/v1/tools/work_board_create_card', { name: 'No' }],
    ['/v1/tools/work_board_api_call', { method: 'GET', path: '/1/members/me' }],
    // Choices of triggers are read from the account too.
    ['/v1/triggers/work-board/new-card/options', { field: 'boards' }],
  ] as [string, object][])('reaches nothing else by %s %j', async (path, body) => {
    expect(await face.ask(path, { body, token })).toMatchObject({
      status: 403,
      json: { code: 'not_allowed', detail: expect.stringMatching(/bound to/) },
    })
  })

  it('nor does one that is bound to steps; who attaches triggers reads their choices', async () => {
    const { text: bound } = await face.pack.tokens.create('default', {
      name: 'One step',
      scopes: ['run'],
      steps: ['work-board/get-card'],
    })
    const ask = (by: string) =>
      face.ask('/v1/triggers/work-board/new-card/options', { body: { field: 'boards' }, token: by })
    expect(await ask(bound)).toMatchObject({ status: 403 })
    const { text: both } = await face.pack.tokens.create('default', {
      name: 'Builder',
      scopes: ['run', 'subscriptions'],
      toolSet: 'read',
    })
    expect(await ask(both)).toMatchObject({ status: 200 })
    const { text: whole } = await face.pack.tokens.create('default', { name: 'Whole', scopes: ['run'] })
    expect(await ask(whole)).toMatchObject({ status: 200 })
  })
})

it.each(['__proto__', 'constructor', 'toString', 'hasOwnProperty'])(
  '%s is no tool, set, integration or locale',
  async (name) => {
    expect(await face.ask(`/v1/tools/${name}`, { body: {} })).toMatchObject({ status: 404 })
    expect(await face.ask(`/openapi/${name}.json`)).toMatchObject({ status: 404 })
    for (const query of [`set=${name}`, `tools=${name}`])
      expect(await face.ask(`/openapi/work-board.json?${query}`)).toMatchObject({ status: 400 })
    expect(
      await face.ask(`/v1/tools/work_board_get_boards`, { body: JSON.parse(`{ "fields": "${name}" }`) as object }),
    ).toMatchObject({ status: 200 })
    expect([200, 400]).toContain((await face.ask(`/v1/integrations/work-board?locale=${name}`)).status)
  },
)
