import type { SignedDelivery, WebhookSignature } from '#kit'
import type { Clock, Hook } from '../../ports/index.ts'
import type { LoadedIntegration, Registry } from '../../catalogue/registry.ts'
import type { ConnectionCache } from '../connection-cache.ts'
import { noConnection } from '../sync/hook-cache.ts'
import type { HookCache } from '../sync/hook-cache.ts'
import type { Addressed, Delivery, Verified } from './delivery.ts'
import type { Proofs } from './proofs.ts'
import { isGenuine, whyUntimely } from './signature.ts'
import { hasSecret } from './signing-secrets.ts'

/** `reason` is for the owner of the hook. `isForged`: refused for its signature alone. */
export type Refusal = { hook: Hook | undefined; status: number; reason: string; isForged?: true }

type VerificationDependencies = {
  registry: Registry
  hooks: HookCache
  connections: Pick<ConnectionCache, 'get' | 'refresh'>
  /** Wall time, since the timestamps that providers sign are wall time too. */
  clock: Pick<Clock, 'now'>
  /** The secrets that sign deliveries to this hook, current first. */
  secretsOf(hook: Hook, loaded: LoadedIntegration): string[] | Promise<string[]>
  prove: Proofs
  /** Reads what other processes changed, where several share the store. */
  catchUp?: (() => Promise<void>) | undefined
}

export const maxDeliveryBytes = 1024 * 1024
const unknownUrl = 'https://unknown.invalid/hooks/unknown/unknown'
const unknownScheme: SignedDelivery = {
  header: 'x-signature',
  algorithm: 'hmac-sha1',
  encoding: 'base64',
  signs: 'body+url',
}

const whyNotGenuine = (integration: string, signature: WebhookSignature, secrets: string[]) => {
  const { secret } = signature
  if (signature.proof === 'fetched') return 'The provider has nothing by the id in them.'
  if (!hasSecret(signature)) return "Their token matches no key of the provider's key set."
  if (secret === 'hook')
    return 'Their signature does not match the secret of this hook. It is registered again with a new one.'
  if (secret === 'provider')
    return 'Their signature does not match the secret that the provider gave for this hook. It is read again.'
  return secrets.length === 0
    ? `No secret is stored that could verify them: give it with PUT /v1/apps/${integration}.`
    : `Their signature matches no stored secret: check that PUT /v1/apps/${integration} holds key and secret of the app that this account was connected with.`
}

export type Verify = (delivery: Delivery) => Promise<Verified | Refusal>

/** Finds the hook of a delivery and verifies that the provider sent it. */
export const createVerification = ({
  registry,
  hooks,
  connections,
  clock,
  secretsOf,
  prove,
  catchUp,
}: VerificationDependencies) => {
  const integrations = new Map(registry.all.map((loaded) => [loaded.integration.id, loaded]))

  /** The profile that a connection chose says how its deliveries are signed. */
  const underProfile = async ({ tenant, connection }: Hook, loaded: LoadedIntegration): Promise<LoadedIntegration> => {
    const { profile } = connections.get(tenant, connection) ?? (await connections.refresh(tenant, connection)) ?? {}
    return loaded.withProfile(profile)
  }

  /** The hook and the integration that a request names; undefined when either is unknown. */
  const find = async ({
    integration,
    hookId,
  }: Pick<Delivery, 'integration' | 'hookId'>): Promise<Addressed | undefined> => {
    const cachedHook = hooks.find(hookId)
    const hook = cachedHook instanceof Promise ? await cachedHook : cachedHook
    const loaded = integrations.get(integration)
    if (!hook || !loaded?.integration.webhooks || hook.integration !== integration) return undefined
    // Most integrations have one profile, and their deliveries need no further call.
    if (!loaded.integration.profiles || hook.connection === noConnection) return { hook, loaded }
    return { hook, loaded: await underProfile(hook, loaded) }
  }

  /** Unknown hooks take the same work as known ones with a wrong signature, and get the same answers. */
  const verifyOnce = async (delivery: Delivery): Promise<Verified | Refusal> => {
    const { headers, body, integration } = delivery
    const addressedHook = await find(delivery)
    const encoding = headers['content-encoding']
    if (encoding !== undefined && encoding !== 'identity')
      return { hook: addressedHook?.hook, status: 415, reason: 'They are compressed.' }
    if (body.byteLength > maxDeliveryBytes)
      return { hook: addressedHook?.hook, status: 413, reason: `One is larger than ${maxDeliveryBytes} bytes.` }
    const scheme = (addressedHook?.loaded ?? integrations.get(integration))?.wire.signature
    const secrets = addressedHook && scheme ? await secretsOf(addressedHook.hook, addressedHook.loaded) : []
    const usedScheme = scheme ?? unknownScheme
    const signed = { headers, body, callbackUrl: addressedHook?.hook.callbackUrl ?? unknownUrl }
    const isSigned = usedScheme.proof === undefined || usedScheme.proof === 'signature'
    const proof = isSigned ? undefined : await prove(usedScheme, secrets, addressedHook, signed)
    const genuine = isSigned ? isGenuine(usedScheme, secrets, signed) : proof!.isGenuine
    if (!addressedHook || !genuine)
      return {
        hook: addressedHook?.hook,
        status: 401,
        reason: whyNotGenuine(integration, usedScheme, secrets),
        isForged: true,
      }
    const reason = isSigned ? whyUntimely(usedScheme, headers, clock.now()) : proof!.why
    if (reason !== undefined) return { hook: addressedHook.hook, status: 401, reason }
    return proof?.content ? { ...addressedHook, content: proof.content } : addressedHook
  }

  return {
    find,
    /** @throws Failure when the provider has to be asked and cannot be, so that the delivery has to come again */
    async verify(delivery: Delivery): Promise<Verified | Refusal> {
      const verified = await verifyOnce(delivery)
      if (!catchUp || !('isForged' in verified)) return verified
      // Another process may have replaced a secret a moment ago.
      await catchUp()
      return verifyOnce(delivery)
    },
  }
}
