import { describe, expect, test } from 'vitest'
import { methods } from '#kit'
import { callTo, failureOf, listen, open, profileFor, reply, wireTo } from './setup.ts'

const sink = await listen()
const profile = profileFor(sink.origin)
const policy = { ...open, methods }

describe('PATCH', () => {
  const patch = callTo(profile, {
    method: 'PATCH',
    effect: 'update',
    path: '/1/issues/7',
    body: { title: 'New' },
    policy,
  })

  test('is sent with its body', async () => {
    const wire = wireTo([sink.origin])
    expect((await wire.exchange(patch)).status).toBe(200)
    expect(sink.seen.at(-1)).toMatchObject({ method: 'PATCH', body: '{"title":"New"}' })
    expect(sink.seen.at(-1)?.headers['content-type']).toBe('application/json')
    expect(wire.preview(patch).method).toBe('PATCH')
  })

  test('is refused where the policy does not list it', async () => {
    const before = sink.seen.length
    expect(await failureOf(wireTo([sink.origin]).exchange({ ...patch, policy: open }))).toMatchObject({
      code: 'not_allowed',
    })
    expect(sink.seen.length).toBe(before)
  })

  test('is repeated like any update when its answer is lost', async () => {
    const before = sink.seen.length
    sink.answer = (request, response) =>
      sink.seen.length === before + 1 ? request.socket.destroy() : reply(response, 200, { ok: true })
    expect((await wireTo([sink.origin]).exchange(patch)).attempts).toBe(2)
  })
})
