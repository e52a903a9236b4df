import { ProtocolError, ProtocolErrorCode, Server } from '@modelcontextprotocol/server'
import type { CallToolRequest, ServerContext, Tool } from '@modelcontextprotocol/server'
import { LRUCache } from 'lru-cache'
import { isFailure, oneLine } from '#kit'
import { rules } from '../../api/rules.ts'
import { coreSet, isInToolSet, isOffered, lookupTools, mayCall } from '../../pack.ts'
import type { Pack } from '../../pack.ts'
import type { Caller, Log } from '../../runtime/ports/index.ts'
import { describeServers, identifyAs } from './about.ts'
import type { Identify } from './about.ts'
import { callTool } from './call.ts'
import { answerFindTools, findToolsName, findToolsTool, isStepTool, searchOf } from './find-tools.ts'
import type { ToFind } from './find-tools.ts'
import { eventsOf } from './events.ts'
import type { EventSource } from './events.ts'
import { createIcons } from './icons.ts'
import { callLookup, listedLookup, lookupsIn, reachable } from './lookup-tools.ts'
import { addPrompts, promptsOf } from './prompts.ts'
import { eventsUri, manifestsOf, resourcesOf } from './resources.ts'
import { createResultCache } from './result-cache.ts'
import { createTasks, maxTasks, tasksExtension } from './tasks.ts'
import type { Tasks } from './tasks.ts'
import { createTenantQuota } from './tenant-quota.ts'
import { hashOf, makeTools } from './tools.ts'
import type { StepTool } from './tools.ts'

/** A caller and the part of the pack it sees. */
export type View = {
  caller: Caller
  /** Only this integration. */
  integration?: string | undefined
  /** Only these tools, by name. */
  tools?: string[] | undefined
  /** The tool set that is listed, `core` by default; other tools can be found and called. */
  set?: string | undefined
  /** Hash of the approved tool list: with any other list nothing is listed or called. */
  approved?: string | undefined
}
export type McpOptions = {
  pack: Pack
  version: string
  log: Log
  /** Monotonic time in ms. */ now: () => number
  events?: EventSource | undefined
}
/**
 * `stream`: whether this instance sends notifications about resources to the client; otherwise the transport does.
 * `era`: `modern` from the 2026 protocol on.
 */
export type MakeServer = (view: View, options: { stream: boolean; era: 'legacy' | 'modern' }) => Server
export type Mcp = {
  makeServer: MakeServer
  /** Names of all tools, for checking allow-lists. */
  toolNames: string[]
  /** Calls `changed` with the URI of a resource whenever it changes, until the returned function is called. */
  watch(view: View, changed: (uri: string) => void): () => void
}

/**
 * The tools that may be called by name. A tool outside the token's tool set is included: the call is refused, and so
 * the caller learns why.
 */
const inView = (tools: Iterable<StepTool>, { caller, integration, tools: toolNames }: View) =>
  [...tools].filter(({ name, loadedStep }) => {
    const { id } = loadedStep.loaded.integration
    if (integration !== undefined && id !== integration) return false
    if (toolNames && !toolNames.includes(name)) return false
    if (!mayCall(caller, rules.runStep)) return false
    return !caller.steps || caller.steps.includes(`${id}/${loadedStep.step.id}`)
  })

const isAllowed = ({ loadedStep }: StepTool, { caller: { toolSet } }: View) =>
  toolSet === undefined || isInToolSet(loadedStep, toolSet)

const sizeOf = (tools: StepTool[]): number =>
  tools.reduce((sum, tool) => sum + JSON.stringify(tool.listed({ canChoose: true })).length, 0)

/**
 * Whether the steps that the caller is bound to are listed one by one: unless they are more to read than the core set.
 * A program that somebody let in without some tools has dozens that nobody chose for their number.
 */
const listsSteps = (all: StepTool[], inReach: StepTool[], view: View): boolean => {
  const { caller, integration } = view
  if (caller.steps === undefined || view.tools !== undefined || view.set !== undefined) return false
  const core = inView(all, { caller: { tenant: caller.tenant }, integration }).filter(({ loadedStep }) =>
    isInToolSet(loadedStep, coreSet),
  )
  return sizeOf(inReach.filter((tool) => isAllowed(tool, view))) <= sizeOf(core)
}

/** Whether a tool is listed: the tools named by the view, else the caller's steps one by one, else those of a set. */
const isListed = (tool: StepTool, view: View, ofSteps: boolean): boolean =>
  isAllowed(tool, view) &&
  (view.tools !== undefined || ofSteps || isInToolSet(tool.loadedStep, view.set ?? view.caller.toolSet ?? coreSet))

type VisibleTools = {
  shown: StepTool[]
  tools: Map<string, StepTool>
  toFind: StepTool[]
  canFind: boolean
  ofSteps: boolean
}

/** The tools of a view. */
const toolsIn = (all: StepTool[], view: View): VisibleTools => {
  const inReach = inView(all, view)
  const ofSteps = listsSteps(all, inReach, view)
  const shown = inReach.filter((tool) => isListed(tool, view, ofSteps))
  // A tool list that was not approved offers no other tools.
  const tools = new Map((view.approved === undefined ? inReach : shown).map((tool) => [tool.name, tool]))
  const toFind = inReach.filter((tool) => isAllowed(tool, view) && isOffered(tool.loadedStep) && tools.has(tool.name))
  const canFind =
    view.tools === undefined &&
    inReach.some((tool) => isAllowed(tool, view) && isOffered(tool.loadedStep) && !shown.includes(tool))
  return { shown, tools, toFind, canFind, ofSteps }
}

/** Everything that the tools of a view depend on. */
const nameOfView = ({ caller: { scopes, steps, toolSet }, integration, tools, set, approved }: View): string =>
  JSON.stringify([
    scopes ?? null,
    steps ?? null,
    toolSet ?? null,
    integration ?? null,
    tools ?? null,
    set ?? null,
    approved !== undefined,
  ])
const maxViews = 500

const hasProfiles = ({ loadedStep }: StepTool) => Object.keys(loadedStep.loaded.integration.profiles ?? {}).length > 0

/**
 * The tools a caller sees, under the wire profile of the connection that a call without `connection` uses. A token
 * bound to connections sees the tools of their integrations, and selects a connection only if there are several.
 */
const listFor = async (
  pack: Pack,
  tools: StepTool[],
  { caller }: View,
  form: 'listed' | 'whole' = 'listed',
): Promise<Tool[]> => {
  const isBound = caller.connections !== undefined
  const connections = isBound || tools.some(hasProfiles) ? await pack.toolConnections.list(caller) : []
  return tools.flatMap((tool) => {
    const own = connections.filter(({ integration }) => integration === tool.loadedStep.loaded.integration.id)
    if (isBound && own.length === 0) return []
    const usual = own.filter(({ person }) => person === (caller.person ?? null))
    const those = usual.length > 0 ? usual : own
    const used = those.length === 1 ? those[0] : those.find(({ isDefault }) => isDefault)
    return [tool.under(used?.profile ?? null)[form]({ canChoose: !isBound || own.length > 1 })]
  })
}

/** Clients may cache what changes only with a new version of the pack, but must never share it between users. */
const cacheHints = {
  'server/discover': { ttlMs: 3_600_000, cacheScope: 'private' },
  'tools/list': { ttlMs: 300_000, cacheScope: 'private' },
  'prompts/list': { ttlMs: 300_000, cacheScope: 'private' },
  'resources/list': { ttlMs: 300_000, cacheScope: 'private' },
} as const

const addResources = (server: Server, resources: ReturnType<typeof resourcesOf>) => {
  server.setRequestHandler('resources/list', () => ({ resources: resources.list() }))
  server.setRequestHandler('resources/templates/list', () => ({ resourceTemplates: resources.templates() }))
  server.setRequestHandler('resources/read', async ({ params }) => {
    try {
      return await resources.read(params.uri)
    } catch (thrown) {
      throw isFailure(thrown) ? new ProtocolError(ProtocolErrorCode.InvalidParams, thrown.message) : thrown
    }
  })
}

/**
 * Notifies the client of new events. In the 2025 protocol clients subscribe here, in the later protocol at the
 * transport.
 */
const addWatch = (server: Server, events: EventSource, view: View) => {
  const stop: (() => void)[] = []
  const changed = () => void server.sendResourceUpdated({ uri: eventsUri }).catch(() => undefined)
  const start = () => void (stop.length === 0 && stop.push(events.watch(view, changed)))
  const end = () => stop.splice(0).forEach((stopWatching) => stopWatching())
  server.setRequestHandler('resources/subscribe', ({ params }) => {
    if (params.uri === eventsUri) start()
    return {}
  })
  server.setRequestHandler('resources/unsubscribe', ({ params }) => {
    if (params.uri === eventsUri) end()
    return {}
  })
  const previous = server.onclose
  server.onclose = () => {
    end()
    previous?.()
  }
  return start
}

/** @throws ProtocolError where there is neither such a tool nor such a lookup */
const callKnown = (
  parts: Parameters<typeof callTool>[0],
  server: Server,
  view: View,
  { tool, lookup }: { tool: StepTool | undefined; lookup: Parameters<typeof callLookup>[2]['tool'] | undefined },
  { name, arguments: args }: CallToolRequest['params'],
  ctx: ServerContext,
) => {
  const meta = ctx.mcpReq._meta
  if (lookup) return callLookup(parts, server, { tool: lookup, view, args, meta }, ctx)
  if (!tool)
    throw new ProtocolError(ProtocolErrorCode.InvalidParams, `There is no tool "${oneLine(name.slice(0, 128))}" here.`)
  return callTool(parts, server, { tool, caller: view.caller, args: args ?? {}, meta }, ctx)
}

/** @throws ProtocolError where an operator approved other tools */
const requireApproved = ({ approved }: View, listed: Parameters<typeof hashOf>[0]): void => {
  if (approved === undefined || hashOf(listed) === approved) return
  throw new ProtocolError(
    ProtocolErrorCode.InvalidRequest,
    `The tools differ from the approved ones: their hash is now ${hashOf(listed)}. Ask the operator to review them and replace the old hash.`,
  )
}

type AllTools = { all: ReadonlyMap<string, StepTool>; anywhere: ReturnType<typeof lookupTools> }

const iconOf = ({ all, anywhere }: AllTools, name: string): string | undefined => {
  if (name === findToolsName) return 'endpoints'
  const lookup = anywhere.find((tool) => tool.name === name)
  return lookup ? `${lookup.kind}-search` : all.get(name)?.loadedStep.step.icon
}

/** The pack as an MCP server: one `Server` per connection or request, all from the same tools. */
export const createMcp = ({ pack, version, log, now, events = eventsOf(pack) }: McpOptions): Mcp => {
  const all = makeTools(pack.registry)
  const anywhere = lookupTools(pack.registry)
  const cache = createResultCache(now)
  const manifests = manifestsOf(pack)
  const prompts = promptsOf(pack)
  const icons = createIcons()
  const quota = createTenantQuota(maxTasks)
  let search: ReturnType<typeof searchOf> | undefined
  const toSearch = () => (search ??= searchOf([...all.values(), ...anywhere]))

  const seen = new LRUCache<string, VisibleTools>({ maxSize: maxViews, sizeCalculation: () => 1 })
  const seenIn = (view: View): VisibleTools => {
    const name = nameOfView(view)
    let toolsOfView = seen.get(name)
    if (!toolsOfView) seen.set(name, (toolsOfView = toolsIn([...all.values()], view)))
    return toolsOfView
  }

  const mayRun = (name: string, view: View) => {
    const tool = seenIn(view).tools.get(name)
    return tool !== undefined && isAllowed(tool, view)
  }

  const withIcon = (tool: Tool): Tool => ({ ...tool, ...icons.named(iconOf({ all, anywhere }, tool.name)) })

  const addTools = (server: Server, view: View, identify: Identify, tasks: Tasks | undefined) => {
    const { shown, tools, toFind, canFind, ofSteps } = seenIn(view)
    const lookups = lookupsIn(anywhere, view, ofSteps)
    const list = async () => {
      const more = (await reachable(pack, lookups.shown, view)).map(listedLookup)
      const listed = [...(await listFor(pack, shown, view)), ...more, ...(canFind ? [findToolsTool] : [])]
      requireApproved(view, listed)
      return listed
    }
    const define = async (matchingTools: ToFind[]) => {
      const steps = new Map(
        (await listFor(pack, matchingTools.filter(isStepTool), view, 'whole')).map((tool) => [tool.name, tool]),
      )
      const lookupsByName = new Map(
        (await reachable(pack, lookups.callable, view)).map((tool) => [tool.name, listedLookup(tool)]),
      )
      return matchingTools.flatMap(({ name }) => steps.get(name) ?? lookupsByName.get(name) ?? [])
    }
    server.setRequestHandler('tools/list', async () => {
      const listed = await list()
      // The hash is of what the tools are and do: how they look does not need to be approved.
      return { tools: listed.map(withIcon), _meta: { 'toolyard/hash': hashOf(listed) } }
    })
    const callNamed = async (params: CallToolRequest['params'], ctx: ServerContext) => {
      const tool = tools.get(params.name)
      if (view.approved !== undefined) await list()
      if (canFind && params.name === findToolsName)
        return answerFindTools(
          { search: toSearch(), tools: [...toFind, ...lookups.callable] },
          params.arguments ?? {},
          define,
        )
      const lookup = tool ? undefined : lookups.callable.find(({ name }) => name === params.name)
      return callKnown(
        { pack, cache, log, now, tasks, hasTool: (name) => tools.has(name) },
        server,
        view,
        { tool, lookup },
        params,
        ctx,
      )
    }
    server.setRequestHandler('tools/call', async ({ params }, ctx) => identify(await callNamed(params, ctx)))
  }

  const tasksOf = (view: View): Tasks =>
    createTasks({
      pack,
      cache,
      log,
      quota,
      caller: view.caller,
      toolOf: (integration, step) =>
        [...seenIn(view).tools.values()].find(
          (tool) =>
            tool.loadedStep.loaded.integration.id === integration &&
            tool.loadedStep.step.id === step &&
            isAllowed(tool, view),
        ),
    })

  const aboutOf = describeServers(pack, version, icons)

  return {
    toolNames: [...all.keys(), ...anywhere.map(({ name }) => name)],
    watch: (view, changed) => events?.watch(view, () => changed(eventsUri)) ?? (() => {}),
    makeServer(view, { stream, era }) {
      const { integrations, instructions, info } = aboutOf(view.integration)
      const resources = resourcesOf({ pack, events, manifests }, { ...view, integrations })
      const server = new Server(info, {
        capabilities: {
          tools: {},
          prompts: {},
          completions: {},
          resources: { subscribe: resources.canWatch },
          ...(era === 'modern' ? { extensions: { [tasksExtension]: {} } } : {}),
        },
        instructions,
        cacheHints,
      })
      const tasks = era === 'modern' ? tasksOf(view) : undefined
      const identify = identifyAs(info, era)
      addTools(server, view, identify, tasks)
      tasks?.serve(server, identify)
      addPrompts(server, { pack, icons, load: prompts, mayRun: (name) => mayRun(name, view) }, view)
      addResources(server, resources)
      if (resources.canWatch) {
        const start = addWatch(server, events!, view)
        if (stream) start()
      }
      return server
    },
  }
}
