import { expect, test } from 'vitest'
import type { SigningApp } from '../../shared/runtime/connections/apps.ts'
import type { ConnectionCache } from '../../shared/runtime/triggers/connection-cache.ts'
import { createSigners } from '../../shared/runtime/triggers/inbound/signing-secrets.ts'
import { fakeClock } from '../support/clock.ts'

type Asked = Parameters<ReturnType<typeof createSigners>['secretsOf']>
const hook = { tenant: 't1', integration: 'work-board', connection: 'con_1' } as Asked[0]
const loaded = { wire: { signature: { header: 'x-signature' } } } as Asked[1]
const signedBy = (secret: string): SigningApp => {
  const own = { key: 'key', secrets: [secret] }
  return { owner: 't1', app: own, client: own }
}

test('a secret that is changed while the former one is read is not mistaken for it', async () => {
  const clock = fakeClock()
  const reads: ((app: SigningApp) => void)[] = []
  const apps = { open: () => new Promise<SigningApp>((resolve) => reads.push(resolve)) }
  const signers = createSigners({
    apps,
    clock,
    connections: { get: () => ({ accountId: undefined, type: 'key-token' }) } as unknown as ConnectionCache,
  } as unknown as Parameters<typeof createSigners>[0])
  const first = signers.secretsOf(hook, loaded)
  signers.forget('t1', 'work-board')
  reads[0]!(signedBy('former'))
  await first
  const second = signers.secretsOf(hook, loaded)
  expect(reads).toHaveLength(2)
  reads[1]!(signedBy('present'))
  expect(await second).toEqual(['present'])
  // Kept from here on, and read again after a while.
  expect(signers.secretsOf(hook, loaded)).toEqual(['present'])
  clock.advance(30_001)
  expect(signers.secretsOf(hook, loaded)).toBeInstanceOf(Promise)
})
