import { startExampleAgent } from './agent/index.ts'
import type { ExampleAgent, ExampleAgentOptions } from './agent/index.ts'
import { anzProfiles, startAnzSandbox } from './anz/index.ts'
import type { AnzSandbox, AnzSandboxOptions } from './anz/index.ts'
import { startBoardSandbox } from './board/index.ts'
import type { BoardSandbox, BoardSandboxOptions } from './board/index.ts'
import { contactProfiles, startContactSandbox } from './contact/index.ts'
import type { ContactSandbox, ContactSandboxOptions } from './contact/index.ts'
import { examplesOf } from './examples.ts'
import type { SandboxExamples } from './examples.ts'

/** An account at a sandbox, as its owner would connect it. Made up; it works in this sandbox only. */
export type SandboxAccount = {
  integration: string
  type: string
  name: string
  secrets: Record<string, string>
  /** Our registration there, where the provider has such: signs webhooks. */
  app?: { key: string; secret: string }
}
export type Sandbox = {
  /** What to show a person: name and address, and the profile where it is not the documented one. */
  places: { integration: string; title: string; origin: string; page?: string; profile?: string }[]
  accounts: SandboxAccount[]
  /** Wire overrides by integration id, so that everything of it goes to the sandbox and nothing to the provider. */
  wire: Record<string, Record<string, unknown>>
  /** What to try first, in its present state. */
  examples(): SandboxExamples
  board: BoardSandbox
  anz: AnzSandbox
  contact: ContactSandbox
  /** An agent that takes starts, for trying triggers. */
  agent: ExampleAgent
  close(): Promise<void>
}

const boardWire = (origin: string) => ({
  baseUrl: origin,
  authUrl: origin,
  oauth: {
    v1: {
      requestUrl: `${origin}/1/OAuthGetRequestToken`,
      authorizeUrl: `${origin}/1/OAuthAuthorizeToken`,
      tokenUrl: `${origin}/1/OAuthGetAccessToken`,
    },
    v2: { authorizeUrl: `${origin}/authorize`, tokenUrl: `${origin}/oauth/token` },
  },
})

/** The wire profiles that the sandbox speaks, by integration id. */
export const spokenProfiles = { 'anz-data': anzProfiles, 'contact-data': contactProfiles } satisfies Record<
  string,
  readonly string[]
>

export type SandboxOptions = {
  board?: BoardSandboxOptions
  anz?: AnzSandboxOptions
  contact?: ContactSandboxOptions
  agent?: ExampleAgentOptions
  /** By integration id. Where it is none of `spokenProfiles`, the sandbox is as the documents show. */
  profiles?: Record<string, unknown>
}

const spoken = <T extends string>(names: readonly T[], requestedProfile: unknown): { profile?: T } => {
  const profile = names.find((name) => name === requestedProfile)
  return profile === undefined ? {} : { profile }
}

const placeOf = (
  integration: string,
  title: string,
  origin: string,
  { profile = 'documented' }: { profile?: string } = {},
) => ({
  integration,
  title,
  origin,
  ...(profile === 'documented' ? {} : { profile }),
})

/** Starts every sandbox, each on a loopback port of its own. */
export const startSandbox = async (options: SandboxOptions = {}): Promise<Sandbox> => {
  const anzOptions = { ...spoken(anzProfiles, options.profiles?.['anz-data']), ...options.anz }
  const contactOptions = { ...spoken(contactProfiles, options.profiles?.['contact-data']), ...options.contact }
  const starting = [
    startBoardSandbox(options.board),
    startAnzSandbox(anzOptions),
    startContactSandbox(contactOptions),
    startExampleAgent(options.agent),
  ] as const
  const [board, anz, contact, agent] = await Promise.all(starting).catch(async (error: unknown) => {
    // One that could not start, for want of its port, must not leave the others running.
    for (const result of await Promise.allSettled(starting))
      if (result.status === 'fulfilled') await result.value.close()
    throw error
  })
  const { key, token, appSecret } = board.credentials
  const places = [
    { ...placeOf('work-board', 'Sandbox board', board.origin), page: `${board.origin}/` },
    placeOf('anz-data', 'Sandbox ANZ', anz.origin, anzOptions),
    placeOf('contact-data', 'Sandbox contacts', contact.origin, contactOptions),
  ]
  return {
    places,
    accounts: [
      {
        integration: 'work-board',
        type: 'key-token',
        name: 'Sandbox board',
        secrets: { key, token },
        app: { key, secret: appSecret },
      },
      { integration: 'anz-data', type: 'api-key', name: 'Sandbox ANZ', secrets: anz.credentials },
      { integration: 'contact-data', type: 'api-key', name: 'Sandbox contacts', secrets: contact.credentials },
    ],
    wire: { 'work-board': boardWire(board.origin), 'anz-data': anz.override, 'contact-data': contact.override },
    examples: () => examplesOf(board, places),
    board,
    anz,
    contact,
    agent,
    async close() {
      await Promise.all([board.close(), anz.close(), contact.close(), agent.close()])
    },
  }
}
