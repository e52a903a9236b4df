import type { CallToolResult } from '@modelcontextprotocol/server'
import type { Outcome } from '#kit'
import { hashRequest } from '../../pack.ts'
import type { Narrow } from '../../runtime/catalogue/agent-view.ts'
import type { Caller } from '../../runtime/ports/index.ts'
import { withFileLinks } from './files.ts'
import type { CachedResult, ResultCache } from './result-cache.ts'
import { toToolResult } from './tool-result.ts'
import type { ResultRange } from './tool-result.ts'
import type { StepTool } from './tools.ts'
import { bytesOf } from './truncate.ts'

/** What the answer to a call depends on beside its outcome. */
export type Answering = {
  tool: StepTool
  caller: Caller
  narrow: Narrow
  paging: ResultRange
  /** Whether the call only reads and costs nothing, so that it can be repeated. */
  free: boolean
  /** Hash of what was requested of the tool, and for whom. */
  request(): string
}

/** The caller is part of the key, so that no caller sees the result of another. */
const keyOf = ({ caller, tool, request }: Answering) =>
  hashRequest([
    caller.tenant,
    caller.token ?? null,
    caller.connections ?? null,
    caller.person ?? null,
    tool.name,
    request(),
  ])

/** The result of an earlier call, whose remainder is asked for. */
export const cachedAnswer = (cache: ResultCache, answering: Answering): CallToolResult | undefined => {
  const { tool, caller, narrow, paging } = answering
  const cached: CachedResult | undefined = cache.get(caller.tenant, keyOf(answering))
  if (!cached) return undefined
  return toToolResult(narrow(cached.output), tool.shape, paging, {
    run: { ...cached.run, cached: true },
    remainder: 'cached',
  }).result
}

export const answerOf = (
  cache: ResultCache,
  answering: Answering,
  { value, meta }: Extract<Outcome, { ok: true }>,
): CallToolResult => {
  const { tool, caller, narrow, paging, free } = answering
  // The connection's profile may charge for this step although the operator's profile does not.
  const isCached = !free || meta.credits !== undefined
  const shown = narrow(value)
  const { result, cut } = toToolResult(shown, tool.shape, paging, {
    run: meta,
    remainder: isCached ? 'cached' : 'repeat',
  })
  // Cached too if only fields were left out, since the model may ask for those next.
  if (isCached && tool.shape.isAdjustable && (cut || shown !== value))
    cache.set(caller.tenant, keyOf(answering), { output: value, run: meta }, bytesOf(value))
  return withFileLinks(result, value)
}
