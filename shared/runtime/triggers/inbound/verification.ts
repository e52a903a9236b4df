import type { WebhookSignature } from '#kit'
import type { Clock, Hook } from '../../ports/index.ts'
import type { LoadedIntegration, Registry } from '../../catalogue/registry.ts'
import type { HookCache } from '../sync/hook-cache.ts'
import type { Delivery } from './delivery.ts'
import { isGenuine, whyUntimely } from './signature.ts'

export type Addressed = { hook: Hook; loaded: LoadedIntegration }
/** `reason` is for the owner of the hook. `isForged`: refused for its signature alone. */
export type Refusal = { hook: Hook | undefined; status: number; reason: string; isForged?: true }

type VerificationDependencies = {
  registry: Registry
  hooks: HookCache
  /** Wall time, since the timestamps that providers sign are wall time too. */
  clock: Pick<Clock, 'now'>
  /** The secrets that sign deliveries to this hook, current first. */
  secretsOf(hook: Hook, loaded: LoadedIntegration): string[] | Promise<string[]>
  /** Reads what other processes changed, where several share the store. */
  catchUp?: (() => Promise<void>) | undefined
}

export const maxDeliveryBytes = 1024 * 1024
const unknownUrl = 'https://unknown.invalid/hooks/unknown/unknown'
const unknownScheme: WebhookSignature = {
  header: 'x-signature',
  algorithm: 'hmac-sha1',
  encoding: 'base64',
  signs: 'body+url',
}

const whyNotGenuine = (integration: string, { secret }: WebhookSignature, secrets: string[]) => {
  if (secret === 'hook')
    return 'Their signature does not match the secret of this hook. It is registered again with a new one.'
  return secrets.length === 0
    ? `No secret is stored that could verify them: give it with PUT /v1/apps/${integration}.`
    : `Their signature matches no stored secret: check that PUT /v1/apps/${integration} holds key and secret of the app that this account was connected with.`
}

/** Finds the hook of a delivery and verifies that the provider sent it. */
export const createVerification = ({ registry, hooks, clock, secretsOf, catchUp }: VerificationDependencies) => {
  const integrations = new Map(registry.all.map((loaded) => [loaded.integration.id, loaded]))

  /** The hook and the integration that a request names; undefined when either is unknown. */
  const find = async ({
    integration,
    hookId,
  }: Pick<Delivery, 'integration' | 'hookId'>): Promise<Addressed | undefined> => {
    const cachedHook = hooks.find(hookId)
    const hook = cachedHook instanceof Promise ? await cachedHook : cachedHook
    const loaded = integrations.get(integration)
    return hook && loaded?.integration.webhooks && hook.integration === integration ? { hook, loaded } : undefined
  }

  /** Unknown hooks take the same work as known ones with a wrong signature, and get the same answers. */
  const verifyOnce = async (delivery: Delivery): Promise<Addressed | Refusal> => {
    const { headers, body, integration } = delivery
    const addressedHook = await find(delivery)
    const encoding = headers['content-encoding']
    if (encoding !== undefined && encoding !== 'identity')
      return { hook: addressedHook?.hook, status: 415, reason: 'They are compressed.' }
    if (body.byteLength > maxDeliveryBytes)
      return { hook: addressedHook?.hook, status: 413, reason: `One is larger than ${maxDeliveryBytes} bytes.` }
    const scheme = integrations.get(integration)?.wire.signature
    const secrets = addressedHook && scheme ? await secretsOf(addressedHook.hook, addressedHook.loaded) : []
    const usedScheme = scheme ?? unknownScheme
    const genuine = isGenuine(usedScheme, secrets, {
      headers,
      body,
      callbackUrl: addressedHook?.hook.callbackUrl ?? unknownUrl,
    })
    if (!addressedHook || !genuine)
      return {
        hook: addressedHook?.hook,
        status: 401,
        reason: whyNotGenuine(integration, usedScheme, secrets),
        isForged: true,
      }
    const reason = whyUntimely(usedScheme, headers, clock.now())
    return reason === undefined ? addressedHook : { hook: addressedHook.hook, status: 401, reason }
  }

  return {
    find,
    async verify(delivery: Delivery): Promise<Addressed | Refusal> {
      const verified = await verifyOnce(delivery)
      if (!catchUp || !('isForged' in verified)) return verified
      // Another process may have replaced a secret a moment ago.
      await catchUp()
      return verifyOnce(delivery)
    },
  }
}
