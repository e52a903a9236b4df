import { expect, it } from 'vitest'
import { createPack } from '../../shared/pack.ts'
import { startSandbox } from '../../shared/sandbox/index.ts'

const nested = (levels: number) => {
  let value: unknown = 1
  for (let level = 0; level < levels; level += 1) value = [value]
  return value
}

it('an input that is nested deeply, refers to itself or holds too much is refused in words, with an idempotency key too', async () => {
  const sandbox = await startSandbox()
  const pack = await createPack({
    wire: sandbox.wire,
    egress: { ownOrigins: sandbox.places.map(({ origin }) => origin) },
  })
  const caller = { tenant: 'default' }
  const { credentials } = sandbox.board
  await pack.connections.create(caller, {
    integration: 'work-board',
    type: 'key-token',
    name: 'Board',
    secrets: { key: credentials.key, token: credentials.token },
  })
  const cycle: Record<string, unknown> = {}
  cycle['self'] = cycle
  const bodies: [body: unknown, code: string, says: string][] = [
    [nested(50_000), 'invalid_input', '200 levels'],
    [cycle, 'invalid_input', '200 levels'],
    [Array.from({ length: 300_000 }, () => 0), 'too_large', '100000 JSON values'],
  ]
  for (const [body, code, says] of bodies) {
    for (const idempotencyKey of [undefined, `key-${says.length}`]) {
      const input = { method: 'POST', path: '/1/cards', body }
      const outcome = await pack.steps.run(caller, {
        integration: 'work-board',
        step: 'api-call',
        input,
        idempotencyKey,
      })
      expect(outcome).toMatchObject({ ok: false, failure: { code, message: expect.stringContaining(says) as string } })
    }
  }
  await pack.close()
  await sandbox.close()
})
