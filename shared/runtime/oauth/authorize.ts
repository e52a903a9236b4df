import { randomUUIDv7 } from 'node:crypto'
import { fail } from '#kit'
import { mayUse } from '../people/act-for.ts'
import { toolSetsOf } from '../catalogue/tool-sets.ts'
import type { LoadedStep, Registry } from '../catalogue/registry.ts'
import type { Audit } from '../admin/audit.ts'
import type { Scope } from '../../api/rules.ts'
import type { Caller, Clock, Store, Token } from '../ports/index.ts'
import { labelOf } from './client.ts'
import type { Client } from './client.ts'
import type { AuthorizeRequest } from './request.ts'
import { answerAt } from './redirects.ts'
import { isWhole, marksOf, nameOf, stepsFor, tokenScopes } from './scopes.ts'
import type { Mark } from './scopes.ts'
import { digest, newText } from './secrets.ts'

/** A person who is signed in: whom they act for, and how the page names them. */
export type SignedIn = { caller: Caller; who: string }

export type OfferedTool = { name: string; title: string; marks: Mark[] }
export type OfferedSet = { id: string; integration: string; title: string; purpose: string; tools: OfferedTool[] }

/** What the page shows, and what the person may choose from. */
export type Offer = {
  client: Client
  redirectUri: string
  resource: string
  scopes: string[]
  /** What they open here, as far as who is signed in may open it. */
  opens: Scope[]
  workspace: string
  person: string | null
  who: string
  sets: OfferedSet[]
  connections: { id: string; name: string; integration: string; person: string | null }[]
  /** Names what is shown: an answer to another page does not count. */
  shown: string
}

export type Choice = {
  shown: string
  /** Ids of the sets that are left. */
  sets: string[]
  connections: string[]
  credits: number | undefined
}

const codeMs = 60_000
/** Grants of one signer that have not ended, and those of them whose codes nobody redeemed. */
const maxGrants = { open: 100, unredeemed: 20 }
const otherSet = { id: 'more', title: 'More', purpose: 'Tools that are in no set.' }

/** The tools by set. A tool in several sets stays as long as one of them does. */
const setsOf = (registry: Pick<Registry, 'all'>, steps: LoadedStep[]): OfferedSet[] =>
  registry.all.flatMap((loaded) => {
    const own = steps.filter(({ loaded: of }) => of.integration.id === loaded.integration.id)
    const declared = toolSetsOf(loaded).filter(({ id }) => id !== 'all')
    const unsorted = own.filter(({ step }) => !declared.some((set) => set.steps.includes(step.id)))
    const toolOf = (loadedStep: LoadedStep) => ({
      name: nameOf(loadedStep),
      title: loadedStep.step.title,
      marks: marksOf(loadedStep),
    })
    const sets = [
      ...declared.map((set) => ({ ...set, tools: own.filter(({ step }) => set.steps.includes(step.id)).map(toolOf) })),
      { ...otherSet, tools: unsorted.map(toolOf) },
    ]
    return sets
      .filter(({ tools }) => tools.length > 0)
      .map(({ id, title, purpose, tools }) => ({
        id: `${loaded.integration.id}/${id}`,
        integration: loaded.integration.title,
        title,
        purpose,
        tools,
      }))
  })

type AuthorizeDependencies = {
  store: Pick<Store, 'connections' | 'grants' | 'tenants' | 'tokens'>
  registry: Pick<Registry, 'all'>
  clock: Pick<Clock, 'now'>
  audit: Pick<Audit, 'changed'>
  /** Limits what a token may spend in a month. */
  limitCredits(tenant: string, token: string, credits: number): Promise<unknown>
}

/** Letting a client in: what it asks for, what the person is shown, and what they leave of it. */
export const createAuthorize = ({ store, registry, clock, audit, limitCredits }: AuthorizeDependencies) => {
  const offer = async ({ caller, who }: SignedIn, request: AuthorizeRequest): Promise<Offer> => {
    const { client, redirectUri, resource, scopes } = request
    const steps = stepsFor(registry, caller, request)
    const integrations = new Set(steps.map(({ loaded }) => loaded.integration.id))
    const connections = (await store.connections.list(caller.tenant))
      .filter((connection) => connection.state !== 'revoked' && mayUse(caller, connection))
      .filter(({ integration }) => integrations.has(integration))
      .map(({ id, name, integration, person }) => ({ id, name, integration, person: person ?? null }))
    const sets = setsOf(registry, steps)
    const opens = tokenScopes(scopes, resource).filter((scope) => caller.scopes?.includes(scope) ?? true)
    const about = { client, redirectUri, resource, scopes, opens, sets, connections }
    return {
      ...about,
      workspace: (await store.tenants.get(caller.tenant))?.name ?? caller.tenant,
      person: caller.person ?? null,
      who,
      shown: digest(JSON.stringify([about, caller.tenant, caller.token, caller.person ?? null])),
    }
  }

  /** The rights that are left of what was offered. */
  const rightsOf = (caller: Caller, offered: Offer, { sets, connections }: Choice) => {
    const isAll = offered.sets.every(({ id }) => sets.includes(id))
    const steps = [
      ...new Set(
        offered.sets.filter(({ id }) => sets.includes(id)).flatMap(({ tools }) => tools.map(({ name }) => name)),
      ),
    ]
    const left = offered.connections.map(({ id }) => id).filter((id) => connections.includes(id))
    const scopes = offered.opens
    const isUnbound = caller.steps === undefined && caller.toolSet === undefined
    return {
      scopes: steps.length === 0 ? scopes.filter((scope) => scope !== 'run') : scopes,
      // Null: every tool, those of later versions too.
      steps: isAll && isUnbound && isWhole(offered.scopes) ? null : steps,
      // Null: those connected later too, since programs connect accounts on the way. A token of one integration reaches
      // those of other integrations nowhere.
      connections: left.length === offered.connections.length && caller.connections === undefined ? null : left,
    }
  }

  const grant = async (
    signedIn: SignedIn,
    request: AuthorizeRequest,
    offered: Offer,
    choice: Choice,
    base: string,
  ): Promise<string> => {
    const { caller, who } = signedIn
    const { client, redirectUri, state, resource, challenge } = request
    const rights = rightsOf(caller, offered, choice)
    if (rights.scopes.length === 0)
      throw fail('not_allowed', 'Nothing is left that this client could be allowed. Leave a tool set, or refuse it.')
    const signer = caller.token === undefined ? undefined : await store.tokens.get(caller.tenant, caller.token)
    const createdAt = clock.now()
    const id = `grant_${randomUUIDv7()}`
    const code = newText()
    const token: Token = {
      tenant: caller.tenant,
      id,
      name: labelOf(client),
      // Nobody knows a text that has it: only access tokens lead here.
      hash: digest(newText()),
      last4: '',
      ...rights,
      toolSet: null,
      person: caller.person ?? null,
      createdAt,
      expiresAt: createdAt + codeMs,
      revokedAt: null,
      origin: 'grant',
    }
    const isAdded = await store.grants.add(
      {
        token,
        grant: {
          tenant: caller.tenant,
          id,
          client: client.id,
          clientName: client.name,
          clientHost: client.host,
          resource,
          scopes: offered.scopes,
          signedBy: signer?.id ?? null,
          who,
          family: null,
          newest: null,
          revision: 0,
          createdAt,
          lastUsedAt: null,
        },
      },
      {
        hash: digest(code),
        tenant: caller.tenant,
        grantId: id,
        client: client.id,
        redirectUri,
        challenge,
        expiresAt: createdAt + codeMs,
      },
      maxGrants,
    )
    if (!isAdded)
      throw fail(
        'conflict',
        `You have let ${maxGrants.open} clients in, and no more are kept. End a grant that is not needed, then let this one in.`,
      )
    if (choice.credits !== undefined) await limitCredits(caller.tenant, id, choice.credits)
    await audit.changed(caller, {
      what: 'grants.create',
      decision: `${id} to ${client.host ?? client.id} for ${resource}`,
    })
    return answerAt(redirectUri, { code, state, iss: base })
  }

  return { offer, grant }
}
