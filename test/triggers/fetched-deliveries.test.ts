import { expect, test } from 'vitest'
import { fail, path } from '#kit'
import type { Json, WatchContext, WireProfile } from '#kit'
import { fetchBack } from '../../shared/runtime/triggers/inbound/fetch-back.ts'
import type { Addressed } from '../../shared/runtime/triggers/inbound/delivery.ts'
import type { ProviderSessions } from '../../shared/runtime/triggers/provider-session.ts'

// https://docs.mollie.com/guides/webhooks: a POST with the parameter id alone, by which the payment is fetched.
const scheme = { proof: 'fetched', fetched: { id: 'id', path: '/v2/payments/{id}' } } as const
const payment = { resource: 'payment', id: 'tr_d0b0E3EA3v', status: 'paid' }
const form = 'application/x-www-form-urlencoded'

const asking = (answer: (at: string) => Json, connection = 'con_1') => {
  const requests: string[] = []
  const ctx = {
    send: async ({ method, path: at }: { method: string; path: string }) => {
      requests.push(`${method} ${at}`)
      return answer(at)
    },
  } as unknown as WatchContext
  const used: unknown[] = []
  const sessions: ProviderSessions = {
    use: async (ref, effect, work) => {
      used.push([ref, effect])
      return { value: await work(ctx, {} as never), calls: 1 }
    },
  }
  const deliveries: WireProfile['deliveries'] = { bodies: ['form', 'json'] }
  const addressed = {
    hook: { tenant: 't1', connection, integration: 'pay' },
    loaded: { wire: { deliveries } },
  } as unknown as Addressed
  const deliver = (body: string, type = form) =>
    fetchBack(sessions, scheme, addressed, {
      headers: { 'content-type': type },
      body: Buffer.from(body),
      callbackUrl: '',
    })
  return { requests, used, deliver }
}

test('what a delivery names is read with the connection, and only the answer is believed', async () => {
  const { requests, used, deliver } = asking(() => payment)
  expect(await deliver('id=tr_d0b0E3EA3v&status=refunded')).toEqual({ isGenuine: true, content: { value: payment } })
  expect(await deliver('{"id":7}', 'application/json')).toMatchObject({ isGenuine: true })
  expect(requests).toEqual([`GET ${path`/v2/payments/${'tr_d0b0E3EA3v'}`}`, 'GET /v2/payments/7'])
  expect(used[0]).toEqual([{ tenant: 't1', connection: 'con_1', integration: 'pay' }, 'read'])
})

test('a text that is no id reaches no other path, and nothing is asked for it', async () => {
  const { requests, deliver } = asking(() => payment)
  for (const id of ['', '../refunds', 'a/b', 'a%2Fb', 'a?b', 'a#b', '..', 'x'.repeat(257)])
    expect(await deliver(`id=${encodeURIComponent(id)}`), id).toEqual({ isGenuine: false })
  for (const body of ['', 'no=id', 'id=a&id=b']) expect(await deliver(body), body).toEqual({ isGenuine: false })
  for (const body of ['{"id":{}}', '{"id":1.5}', '{"id":null}', '{'])
    expect(await deliver(body, 'application/json'), body).toEqual({ isGenuine: false })
  expect(await deliver('id=tr_1', 'text/plain')).toEqual({ isGenuine: false })
  expect(requests).toEqual([])
})

test('what the provider does not have is forged; when it cannot be asked, the delivery has to come again', async () => {
  const absent = asking(() => {
    throw fail('not_found', 'No such payment.')
  })
  expect(await absent.deliver('id=tr_1')).toEqual({ isGenuine: false })
  for (const code of ['unreachable', 'rate_limited', 'not_connected'] as const) {
    const away = asking(() => {
      throw fail(code, 'Not now.')
    })
    await expect(away.deliver('id=tr_1')).rejects.toThrow('Not now.')
  }
})

test('the address of a whole app has no connection to read with', async () => {
  const { requests, deliver } = asking(() => payment, '')
  expect(await deliver('id=tr_1')).toEqual({ isGenuine: false })
  expect(requests).toEqual([])
})
