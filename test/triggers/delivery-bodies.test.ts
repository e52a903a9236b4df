import { createHmac } from 'node:crypto'
import { expect, test } from 'vitest'
import type { Json, WebhookSignature, WireProfile } from '#kit'
import { readByType } from '../../shared/runtime/triggers/inbound/other-bodies.ts'
import { openTracker, readFact } from './tracker.ts'

const form = 'application/x-www-form-urlencoded'
const read = (type: unknown, text: string | Uint8Array, deliveries: WireProfile['deliveries']) =>
  readByType(type, Buffer.from(text), deliveries)

test('a body is read by its content type, if the profile lists that', () => {
  const all = { bodies: ['json', 'form', 'xml', 'text'] } as const satisfies WireProfile['deliveries']
  const deliveries = { ...all, bodies: [...all.bodies] }
  expect(read('application/json', '{"a":1}', undefined)).toEqual({ value: { a: 1 } })
  expect(read(form, 'a=1', undefined)).toBeUndefined()
  expect(read('application/json', '{"a":1}', { bodies: ['form'] })).toBeUndefined()
  expect(read(`${form}; charset=UTF-8`, 'a=1&b=x+y%21&b=&c', deliveries)).toEqual({
    value: { a: '1', b: ['x y!', ''], c: '' },
  })
  expect(read('text/plain', 'a=1', deliveries)).toEqual({ value: 'a=1' })
  expect(read('text/xml', '<a>1</a>', deliveries)).toEqual({ value: { a: '1' } })
  expect(read('application/atom+xml; charset=utf-8', '<a/>', deliveries)).toEqual({ value: { a: '' } })
  for (const type of ['text/html', 'multipart/form-data', 'text/plain; charset=latin1', '', undefined, ['text/plain']])
    expect(read(type, 'a', deliveries), String(type)).toBeUndefined()
  expect(read('text/plain', Uint8Array.from([0xff]), deliveries)).toEqual({ why: 'The body is not UTF-8.' })
})

test('fields of forms: JSON where the profile says so, names that are names only, and not too many', () => {
  const deliveries: WireProfile['deliveries'] = { bodies: ['form'], jsonFields: ['payload'] }
  expect(read(form, `payload=${encodeURIComponent('{"a":[1]}')}&x={}`, deliveries)).toEqual({
    value: { payload: { a: [1] }, x: '{}' },
  })
  expect(read(form, 'payload={', deliveries)).toEqual({
    why: 'The field "payload" of the form cannot be read. The body is not JSON.',
  })
  const proto = read(form, '__proto__=x&constructor=y', deliveries) as { value: object }
  expect(Object.getPrototypeOf(proto.value)).toBe(Object.prototype)
  expect(Object.entries(proto.value)).toEqual([
    ['__proto__', 'x'],
    ['constructor', 'y'],
  ])
  expect(read(form, 'a=1&'.repeat(1001), deliveries)).toEqual({ why: 'The form has more than 1000 fields.' })
})

const opened = (
  deliveries: WireProfile['deliveries'],
  { signature, answers = {} }: { signature?: WebhookSignature; answers?: Record<string, unknown> } = {},
) => {
  const asked: string[] = []
  const seen: unknown[] = []
  return openTracker((integration, tracker) => ({
    ...integration,
    wire: { ...integration.wire, ...(deliveries ? { deliveries } : {}), ...(signature ? { signature } : {}) },
    webhooks: {
      ...tracker.source,
      decode: ({ body, model }) => {
        seen.push(body)
        return readFact(body as Json, 'webhook', model)
      },
      respond: ({ body }) =>
        (body as { command?: string }).command === undefined
          ? undefined
          : { status: 200, body: '{"text":"Working on it."}', contentType: 'application/json', isDelivery: true },
    },
    ...answers,
  })).then(async (world) => {
    await world.subscribe('opened')
    const hook = world.hookOf()
    const send = (text: string, type: string, headers: Record<string, string> = {}) =>
      world.triggers.receive({
        integration: 'tracker',
        hookId: hook.callbackUrl.split('/').at(-1)!,
        method: 'POST',
        headers: {
          'content-type': type,
          'x-tracker-signature': `sha256=${createHmac('sha256', hook.secret!).update(text).digest('hex')}`,
          ...headers,
        },
        body: Buffer.from(text),
      })
    return { ...world, send, asked, seen }
  })
}

test('a slash command is answered after its event is stored, and starts an agent', async () => {
  const { send, tracker, called, settle, seen } = await opened({ bodies: ['json', 'form'], jsonFields: ['id'] })
  const { id, type, at, repo, issue, actor } = tracker.happen('opened')
  const text = new URLSearchParams(
    Object.entries({ command: '/deploy', id, type, at, repo, issue, actor }).map(([name, value]) => [
      name,
      String(value),
    ]),
  ).toString()
  expect(await send(text, form)).toEqual({
    status: 200,
    body: '{"text":"Working on it."}',
    contentType: 'application/json',
  })
  await settle()
  expect(seen).toMatchObject([{ command: '/deploy', id, repo: '7' }])
  expect(called.map(({ data }) => data.subject)).toEqual(['7'])
  // A command that is not signed is neither answered nor stored.
  expect(await send(text, form, { 'x-tracker-signature': 'sha256=00' })).toEqual({ status: 401 })
})

test('a type that the profile does not list is refused, with the types that it lists', async () => {
  const { send, triggers, store, hookOf } = await opened({ bodies: ['xml'] })
  expect(await send('a=1', form)).toEqual({ status: 415 })
  expect(await send('{}', 'application/json')).toEqual({ status: 415 })
  await triggers.ticks.upkeep()
  const hooks = await store.hooks.list('t1', { limit: 10 })
  expect(hooks.items.find(({ callbackUrl }) => callbackUrl === hookOf().callbackUrl)?.refusedReason).toContain(
    'none of xml',
  )
})

test('a delivery that cannot be read is kept for a person', async () => {
  const { send, store } = await opened({ bodies: ['xml'] })
  expect(await send('<!DOCTYPE a><a/>', 'text/xml')).toEqual({ status: 200 })
  const { items } = await store.undecodable.list('t1', { limit: 10 })
  expect(items.map(({ reason }) => reason)).toEqual(['The body is no XML that is read here. It holds a document type.'])
})
