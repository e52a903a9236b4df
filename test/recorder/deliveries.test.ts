import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Facts, Json, TriggerExampleFile } from '#kit'
import { createPack, readDelivered } from '../../shared/pack.ts'
import type { Pack } from '../../shared/pack.ts'
import { readPastedDelivery } from '../../shared/faces/cli/pasted-delivery.ts'
import { deliveryCase } from '../../shared/recorder/delivery-case.ts'
import { createRecorder } from '../../shared/recorder/index.ts'
import type { RecordDelivery } from '../../shared/recorder/index.ts'
import { replayTrigger } from '../contract/replay-trigger.ts'
import starter from '../../scripts/starter/manifest.ts'
import issueDesk from '../fixtures/issue-desk/manifest.ts'
import { stayOffline } from '../support/offline.ts'
import { startProvider } from '../support/provider.ts'

const caller = { tenant: 'default' }
const folder = join(fileURLToPath(new URL('../', import.meta.url)), 'fixtures/issue-desk')
const token = 'ghx_aB3dE5fG7hJ9kL1m'

stayOffline(/^127\.0\.0\.1/)

type Desk = { headers: Record<string, string>; body: { [name: string]: Json } }
const [example] = (JSON.parse(readFileSync(join(folder, 'examples/new-comment.json'), 'utf8')) as TriggerExampleFile)
  .cases
const delivery = example!.delivery as unknown as Desk
const { config } = example!

/** The example's delivery as it arrives: with every header, and the text of the comment. */
const arriving = (text = 'Done this morning.', more: object = {}) => ({
  headers: {
    ...delivery.headers,
    'content-type': 'application/json',
    'x-desk-signature-256': 'sha256=00',
    'user-agent': 'desk/1',
  },
  body: JSON.stringify({
    ...delivery.body,
    comment: { ...(delivery.body['comment'] as object), body: text },
    ...more,
  }),
})

describe('a delivery that is recorded', () => {
  let provider: Awaited<ReturnType<typeof startProvider>>
  let pack: Pack
  const recorder = createRecorder()
  const record = (call: Partial<RecordDelivery> = {}) =>
    recorder.recordDelivery(pack, caller, {
      integration: 'issue-desk',
      trigger: 'new-comment',
      title: 'Recorded',
      config,
      ...call,
    })

  beforeAll(async () => {
    provider = await startProvider((_, response) => {
      response.writeHead(200, { 'content-type': 'application/json' })
      response.end(JSON.stringify({ id: 7, login: 'ada-lindqvist' }))
    })
    pack = await createPack({
      integrations: [issueDesk, starter],
      wire: { 'issue-desk': { baseUrl: provider.origin } },
      egress: { privateOrigins: [provider.origin] },
      onExchange: recorder.onExchange,
    })
    await pack.connections.create(caller, {
      integration: 'issue-desk',
      type: 'token',
      name: 'Desk',
      secrets: { token },
    })
  })
  afterAll(() => Promise.all([pack.close(), provider.close()]))

  it('is an example that the contract test replays, with the headers that are read and no real person', async () => {
    const recorded = await record({ delivery: arriving('Ask ben-okoro or ben@acme.test.') })
    const { headers, body } = recorded.delivery as Desk
    expect(headers).toEqual({ 'x-desk-event': 'issue_comment' })
    expect(JSON.stringify(recorded)).not.toMatch(/ben-okoro|acme\.test/)
    expect(body['sender']).toEqual({ id: 2, login: 'odettevane' })
    expect(recorded.data).toMatchObject({
      by: { username: 'odettevane' },
      comment: { text: expect.stringMatching(/^Ask odettevane or \w+@example\.com\.$/) },
    })
    await replayTrigger({ folder, integration: issueDesk }, { trigger: 'new-comment', cases: [recorded] }, recorded)
  })

  it('has no address that lets in whoever has it', async () => {
    const recorded = await record({ delivery: arriving('See https://files.example/a?sig=Ab12%2Bcd&v=1 for it.') })
    expect((recorded.data as { comment: { text: string } }).comment.text).toBe(
      'See https://files.example/a?sig=***&v=1 for it.',
    )
  })

  it('may be a form, where the profile lists forms', async () => {
    const form = {
      headers: { ...arriving().headers, 'content-type': 'application/x-www-form-urlencoded' },
      body: 'a=1',
    }
    await expect(record({ delivery: form })).rejects.toMatchObject({
      code: 'invalid_input',
      message: expect.stringContaining('which the profile does not list in `deliveries`'),
    })
    const deliveries = { bodies: ['json' as const, 'form' as const] }
    expect(await readDelivered('application/x-www-form-urlencoded', Buffer.from('a=1'), deliveries)).toEqual({
      value: { a: '1' },
    })
  })

  it('starts nothing with another config, and says so', async () => {
    expect(await record({ delivery: arriving(), config: { repositories: ['ada-lindqvist/other'] } })).toMatchObject({
      data: null,
    })
  })

  it('is the last one that was accepted, or that of an event', async () => {
    const receive = (text: string, id: number, status = 200) => {
      const { headers, body } = arriving(text, {
        comment: { ...(delivery.body['comment'] as object), body: text, id },
      })
      const watched = recorder.watch<Pick<Pack, 'receive'>>({ receive: async () => ({ status }) })
      return watched.receive({
        integration: 'issue-desk',
        hookId: 'h',
        method: 'POST',
        headers,
        body: Buffer.from(body),
      })
    }
    await receive('first', 101)
    await receive('second', 102)
    await receive('forged', 103, 401)
    const textOf = async (call?: Partial<RecordDelivery>) =>
      ((await record(call)).data as { comment: { text: string } }).comment.text
    expect(await textOf()).toBe('second')
    const [first] = issueDesk.webhooks!.decode(
      {
        body: { ...delivery.body, comment: { ...(delivery.body['comment'] as object), id: 101 } },
        headers: delivery.headers,
        model: { kind: 'repository', id: '' },
      },
      'webhook',
    ).events
    expect(await textOf({ event: first!.id })).toBe('first')
    await expect(record({ event: 'nothing' })).rejects.toMatchObject({ code: 'not_found' })
  })

  it.each([
    ['a secret of the connection', { delivery: arriving(`use ${token}`) }, 'not_allowed', 'nothing was recorded'],
    ['no JSON', { delivery: { headers: {}, body: 'x' } }, 'invalid_input', 'whole body'],
    [
      'no event',
      { delivery: { headers: { 'x-desk-event': 'ping' }, body: '{}' } },
      'invalid_input',
      '0 events, and an example has one. It was ignored: ',
    ],
    [
      'a wrong config',
      { delivery: arriving(), config: {} },
      'invalid_input',
      'The config of new-comment: repositories',
    ],
    [
      'a polled trigger',
      { integration: 'starter', trigger: 'new-item' },
      'invalid_input',
      'Write its example by hand, with a "scan"',
    ],
    ['an unknown trigger', { trigger: 'nope' }, 'not_found', 'no trigger "nope"'],
  ])('is refused with %s', async (_, call, code, message) => {
    await expect(record(call)).rejects.toMatchObject({ code, message: expect.stringContaining(message) })
  })

  it('asks for the facts that it does not contain, and holds those that decided', () => {
    const trigger = issueDesk.triggers!.find(({ id }) => id === 'new-comment')!
    const asking = { ...trigger, webhook: { ...trigger.webhook!, needs: () => ['me', 'issue'] } }
    const make = (facts: Facts) =>
      deliveryCase(
        issueDesk,
        asking,
        { title: 'Recorded', config, delivery: { ...arriving(), body: delivery.body }, facts, account: '7' },
        () => {},
        (value) => value,
      )
    expect(() => make({})).toThrow('The match asks for "issue"')
    expect(make({ issue: { title: 'Late frost' } }).facts).toEqual({ me: '7', issue: { title: 'Late frost' } })
  })
})

describe('a pasted delivery', () => {
  it.each([
    ['a body', '{"a":1}', { headers: { 'content-type': 'application/json' }, body: '{"a":1}' }],
    ['headers and body', '{"headers":{"X-A":"b"},"body":{"a":1}}', { headers: { 'x-a': 'b' }, body: '{"a":1}' }],
    [
      'what was sent',
      'POST /hooks/x HTTP/1.1\r\nX-A: b\r\nContent-Type: text/plain\r\n\r\na=1',
      { headers: { 'x-a': 'b', 'content-type': 'text/plain' }, body: 'a=1' },
    ],
  ])('is %s', (_, text, expected) => expect(readPastedDelivery(text)).toEqual(expected))

  it('is refused when it is none of them', () => {
    expect(() => readPastedDelivery('hello\n\nthere')).toThrow('--delivery')
  })
})
