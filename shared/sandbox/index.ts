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

/** An account at a sandbox, with what its owner would enter to connect it. Made up; it works in this sandbox only. */
export type SandboxAccount = {
  integration: string
  type: string
  name: string
  secrets: Record<string, string>
  /** Our app there, where the provider has apps; its secret signs webhooks. */
  app?: { key: string; secret: string }
}
export type Sandbox = {
  /** What to show to a person: name, address, and the profile unless it is the documented one. */
  places: { integration: string; title: string; origin: string; page?: string; profile?: string }[]
  accounts: SandboxAccount[]
  /** Wire overrides by integration id, which direct all requests to the sandbox and none to the provider. */
  wire: Record<string, Record<string, unknown>>
  /** What to try first, given the sandbox's current state. */
  examples(): SandboxExamples
  board: BoardSandbox
  anz: AnzSandbox
  contact: ContactSandbox
  /** An agent that accepts starts, for trying triggers. */
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

/** The wire profiles that the sandbox implements, by integration id. */
export const spokenProfiles = { 'anz-data': anzProfiles, 'contact-data': contactProfiles } satisfies Record<
  string,
  readonly string[]
>

export type SandboxOptions = {
  board?: BoardSandboxOptions
  anz?: AnzSandboxOptions
  contact?: ContactSandboxOptions
  agent?: ExampleAgentOptions
  /**
   * Wire profiles by integration id. For a value not in `spokenProfiles`, the sandbox implements the documented
   * profile.
   */
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

/** Starts every sandbox, each on its own loopback port. */
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
    // When one cannot start because its port is taken, the others must be stopped.
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
