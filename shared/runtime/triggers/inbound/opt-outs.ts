import { asText, describeDefect, isAbsent, valueAt } from '#kit'
import type { OptOutRequests, SignedDelivery } from '#kit'
import type { Registry } from '../../catalogue/registry.ts'
import type { Apps } from '../../connections/apps.ts'
import type { Caller, Clock, Log } from '../../ports/index.ts'
import { acknowledge } from './acknowledgement.ts'
import type { Delivery, Receipt } from './delivery.ts'
import { isGenuine, whyUntimely } from './signature.ts'
import { maxDeliveryBytes } from './verification.ts'

/** Begins the hook id in an opt-out address, before the tenant; ids of hooks contain no dot. */
const prefix = 'opt-outs.'
/** Whether the hook id belongs to an opt-out address. */
export const isForOptOuts = (hookId: string) => hookId.startsWith(prefix)

export type OptOut = { email?: string; linkedin?: string; phone?: string; recordId?: string }
type OptOutsDependencies = {
  registry: Registry
  apps: Pick<Apps, 'open'>
  clock: Pick<Clock, 'now'>
  log: Log
  /**
   * Adds entries to the suppression list. @throws Failure `invalid_input` for an entry that cannot be read, `not_found`
   * for an unknown tenant
   */
  suppress(caller: Caller, entries: OptOut[], source: 'webhook'): Promise<unknown>
  isReadable(entry: OptOut): boolean
}

/** Entries added at a time. All entries of a request are added: the size of its body is limited. */
const atOnce = 250
const retryAfterS = 30

const entriesIn = (body: unknown, { fields = {}, list }: OptOutRequests): OptOut[] => {
  const entries = Object.entries(fields).map(([kind, path]) => [kind, valueAt(body, path)] as const)
  const items = list ? valueAt(body, list.at) : undefined
  if (list && Array.isArray(items))
    for (const item of items) {
      const kind = list.kinds[asText(valueAt(item, list.kind))] ?? ''
      entries.push([kind, valueAt(item, list.value)])
    }
  return entries.flatMap(([kind, value]): OptOut[] => {
    const isNamed = kind !== '' && typeof value === 'string' && value.trim() !== ''
    return isNamed ? [{ [kind]: value }] : []
  })
}

const parse = (body: Uint8Array): unknown => {
  try {
    return JSON.parse(Buffer.from(body).toString())
  } catch {
    return undefined
  }
}

/**
 * Requests by which a provider names people who opted out, signed with the secret of the tenant's app. A request is
 * acknowledged only after the people it names are on the suppression list.
 */
export const createOptOuts = ({ registry, apps, clock, log, suppress, isReadable }: OptOutsDependencies) => {
  const find = ({ integration, hookId }: Delivery) => {
    const loaded = registry.all.find((candidate) => candidate.integration.id === integration)
    const { optOuts, signature } = loaded?.wire ?? {}
    if (!optOuts || !signature || (signature.proof ?? 'signature') !== 'signature') return undefined
    return { optOuts, signature: signature as SignedDelivery, tenant: hookId.slice(prefix.length) }
  }
  const secretsOf = async (tenant: string, integration: string) =>
    (await apps.open(tenant, integration))?.app.secrets ?? []

  /** Returns how many entries are on the list now. Entries that cannot be read are skipped. */
  const add = async (tenant: string, entries: OptOut[]): Promise<number> => {
    let added = 0
    for (let from = 0; from < entries.length; from += atOnce) {
      const readable = entries.slice(from, from + atOnce).filter(isReadable)
      if (readable.length > 0) await suppress({ tenant }, readable, 'webhook')
      added += readable.length
    }
    return added
  }

  const post = async (delivery: Delivery): Promise<Receipt> => {
    const { integration, headers, body, hookId } = delivery
    if (headers['content-encoding'] !== undefined && headers['content-encoding'] !== 'identity') return { status: 415 }
    if (body.byteLength > maxDeliveryBytes) return { status: 413 }
    const recipient = find(delivery)
    if (!recipient) return { status: 404 }
    const { tenant, signature, optOuts } = recipient
    const secrets = await secretsOf(tenant, integration)
    const isOf =
      isGenuine(signature, secrets, { headers, body, callbackUrl: hookId }) &&
      whyUntimely(signature, headers, clock.now()) === undefined
    if (!isOf) {
      log('warn', 'opt_outs.refused', {
        integration,
        tenant: secrets.length > 0 ? tenant : undefined,
        reason: 'signature or time',
      })
      return { status: 401 }
    }
    try {
      const read = parse(body)
      const entries = entriesIn(read, optOuts)
      const added = await add(tenant, entries)
      const event = added === 0 ? 'opt_outs.not_understood' : 'opt_outs.added'
      const unread = entries.length - added
      log(added === 0 || unread > 0 ? 'warn' : 'info', event, { integration, tenant, entries: added, unread })
      return added === 0 ? { status: 422 } : acknowledge(optOuts.acknowledge, read, clock.now())
    } catch (error) {
      if (isAbsent(error)) return { status: 401 }
      log('error', 'opt_outs.not_stored', { integration, tenant, ...describeDefect(error) })
      return { status: 503, retryAfterS }
    }
  }

  /** Answers the challenge by which the provider checks that the address is ours. */
  const get = async (delivery: Delivery): Promise<Receipt> => {
    const { optOuts, tenant } = find(delivery) ?? {}
    const value = optOuts?.challenge === undefined ? undefined : delivery.query?.[optOuts.challenge]
    if (value === undefined || !/^[\w.~-]{1,256}$/.test(value)) return { status: 405 }
    // Without a stored secret, none of the requests that follow could be verified.
    if ((await secretsOf(tenant!, delivery.integration)).length === 0) return { status: 404 }
    return { status: 200, contentType: 'application/json', body: JSON.stringify({ [optOuts!.challenge!]: value }) }
  }

  return {
    async receive(delivery: Delivery): Promise<Receipt> {
      if (delivery.method === 'POST') return post(delivery)
      return delivery.method === 'GET' ? get(delivery) : { status: 405 }
    },
  }
}
