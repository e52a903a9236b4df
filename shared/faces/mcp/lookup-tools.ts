import { isInputRequiredResult } from '@modelcontextprotocol/server'
import type { CallToolResult, InputRequiredResult, Server, ServerContext, Tool } from '@modelcontextprotocol/server'
import { describeDefect, fail, isFailure, toFailureJson } from '#kit'
import { coreSet } from '../../pack.ts'
import type { Pack } from '../../pack.ts'
import type { LookupTool } from '../../runtime/lookups/waterfall/tools.ts'
import type { Log } from '../../runtime/ports/index.ts'
import { readMeta } from './call.ts'
import { runDecided } from './decide.ts'
import { failureResult } from './failure.ts'
import type { View } from './server.ts'
import { resultBytes, toToolResult } from './tool-result.ts'
import type { ResultShape } from './tool-result.ts'
import { dryRunOutput, paidHints } from './tools.ts'

/** A lookup tool as MCP lists it. */
export const listedLookup = ({ name, title, group, description, input, output, integrations }: LookupTool): Tool => ({
  name,
  title,
  description,
  inputSchema: input as Tool['inputSchema'],
  outputSchema: dryRunOutput(output),
  annotations: { title, ...paidHints, openWorldHint: true },
  _meta: { 'toolyard/group': group, 'toolyard/integrations': integrations },
})

/**
 * The lookup tools of a view: a server of one integration has none, since they belong to several. `ofSteps`: the caller's
 * steps are listed one by one, and so what looks up with them is too.
 */
export const lookupsIn = (
  all: LookupTool[],
  { caller, integration, tools, approved, set }: View,
  ofSteps: boolean,
): { shown: LookupTool[]; callable: LookupTool[] } => {
  const inReach = all.filter(
    (tool) => integration === undefined && (tools?.includes(tool.name) ?? true) && tool.isFor(caller),
  )
  const shown = inReach.filter((tool) => tools !== undefined || ofSteps || tool.isIn(set ?? caller.toolSet ?? coreSet))
  return { shown, callable: approved === undefined ? inReach : shown }
}

/** A token that is bound to connections gets a lookup tool only if more than one of its connections can be asked. */
export const reachable = async (pack: Pack, tools: LookupTool[], { caller }: View): Promise<LookupTool[]> => {
  if (caller.connections === undefined || tools.length === 0) return tools
  const connections = await pack.toolConnections.list(caller)
  return tools.filter(
    ({ integrations }) => connections.filter(({ integration }) => integrations.includes(integration)).length > 1,
  )
}

const shapeOf = (tool: LookupTool, isDry: boolean): ResultShape => ({
  schema: isDry ? { required: ['dryRun'] } : tool.output,
  list: undefined,
  narrowing: [],
  isAdjustable: false,
})

type LookupCallDependencies = { pack: Pack; log: Log; /** Monotonic time in ms. */ now: () => number }
type LookupToolCall = { tool: LookupTool; view: View; args: unknown; meta: Record<string, unknown> | undefined }

/** Runs a lookup at several providers for a tool call. The result is short, unless "details" asks for everything. */
export const callLookup = async (
  { pack, log, now }: LookupCallDependencies,
  server: Server,
  { tool, view, args, meta }: LookupToolCall,
  ctx: ServerContext,
): Promise<CallToolResult | InputRequiredResult> => {
  try {
    const { narrow, ...call } = tool.read(args)
    const { idempotencyKey, startId, person, dryRun, maxCredits, maxAge, refresh } = readMeta(meta)
    const outcome = await runDecided<never>({ pack, now }, { server, ctx, caller: view.caller }, () =>
      pack.lookups.run(view.caller, {
        kind: tool.kind,
        ...call,
        // The limit set by the host applies, whatever the model asks for.
        maxCredits: maxCredits === undefined ? call.maxCredits : Math.min(maxCredits, call.maxCredits ?? maxCredits),
        maxAge: call.maxAge ?? maxAge,
        refresh: call.refresh ?? refresh,
        idempotencyKey,
        startId,
        person,
        dryRun,
        signal: ctx.mcpReq.signal,
      }),
    )
    if (isInputRequiredResult(outcome)) return outcome
    if (!outcome.ok) {
      const {
        failure,
        meta: { runId },
      } = outcome
      return failureResult(failure, { runId, connectUrl: failure.connectUrl })
    }
    const output = dryRun ? { dryRun: outcome.value } : narrow(outcome.value)
    return toToolResult(
      output,
      shapeOf(tool, dryRun),
      { maxBytes: resultBytes.default, from: 0 },
      { run: outcome.meta, remainder: 'repeat' },
    ).result
  } catch (thrown) {
    if (isFailure(thrown)) return failureResult(toFailureJson(thrown))
    log('error', 'mcp.defect', { tool: tool.name, ...describeDefect(thrown) })
    return failureResult(toFailureJson(fail('internal', 'Something went wrong on this server.')))
  }
}
