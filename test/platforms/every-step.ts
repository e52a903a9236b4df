import type { Client } from '@modelcontextprotocol/client'
import { callEveryTool } from '../mcp/every-tool.ts'
import type { Manifest } from '../../scripts/packages/manifests.ts'

export type Ran = { output: Record<string, any> } | { failure: string }
export type RunStep = (integration: string, step: string, input: Record<string, unknown>) => Promise<Ran>

/** Steps that platforms have forms of their own for; each suite has a test of each. */
export const withOwnTests = ['work_board_attach_file', 'work_board_set_custom_fields']

/**
 * Runs every step once as a platform does, each with what the ones before gave; `run` gives the message of a failed
 * one. Gives the steps in the order of running, each with the input that was right, and those that were not run.
 */
export const runEveryStep = async (manifests: Manifest[], run: RunStep) => {
  const steps = manifests.flatMap(({ id, steps: all }) =>
    all.map(({ id: step }) => ({ integration: id, step, tool: `${id}_${step}`.replaceAll('-', '_') })),
  )
  const ran: { integration: string; step: string; input: Record<string, unknown> }[] = []
  const client = {
    async callTool({ name, arguments: input }: { name: string; arguments: Record<string, unknown> }) {
      const { integration, step } = steps.find(({ tool }) => tool === name)!
      const result = await run(integration, step, input)
      ran.push({ integration, step, input })
      if ('failure' in result) {
        const code = /^(\w+): /.exec(result.failure)?.[1]
        return {
          isError: true,
          content: [{ type: 'text', text: result.failure }],
          _meta: { 'toolyard/failure': { code } },
        }
      }
      return { structuredContent: result.output, content: [{ type: 'text', text: JSON.stringify(result.output) }] }
    },
  }
  await callEveryTool(client as unknown as Client, withOwnTests)
  const missed = steps
    .filter(({ integration, step }) => !ran.some((call) => call.integration === integration && call.step === step))
    .map(({ tool }) => tool)
  return { ran, missed: missed.filter((tool) => !withOwnTests.includes(tool)) }
}
