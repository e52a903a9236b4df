import type { Client, FoundStep } from './client.ts'
import { plain, table } from './table.ts'
import type { Terminal } from './terminal.ts'

type Asked = { words: string[]; integration?: string; json?: boolean }

const marks = (step: FoundStep) => [...(step.legacy ? ['legacy'] : []), ...(step.cost ? ['credits'] : []), ...(step.ready ? [] : ['not ready'])].join(', ')

/** `toolyard list`: integrations with their steps. */
export const list = async (client: Client, terminal: Terminal, { words, integration, json }: Asked): Promise<number> => {
  try {
    const [integrations, steps] = await Promise.all([
      client.integrations(),
      client.steps({ query: words.length > 0 ? words.join(' ') : undefined, integration }),
    ])
    if (json) {
      terminal.out(`${JSON.stringify({ integrations: integrations.filter(({ id }) => integration === undefined || id === integration), steps })}\n`)
      return 0
    }
    for (const { id, title, summary } of integrations) {
      const own = steps.filter((step) => step.integration === id)
      if (own.length === 0) continue
      terminal.out(`${plain(title)} (${id}): ${plain(summary)}\n`)
      const rows = own.map((step) => [step.id, step.effect, marks(step), step.purpose])
      terminal.out(`${table(['step', 'effect', '', 'what it does'], rows, terminal.width, '  ')}\n\n`)
    }
    if (steps.length === 0) terminal.out(`No step has all of these words: ${words.join(' ')}\n`)
    else terminal.out('toolyard describe <integration> <step> shows the fields of a step.\n')
    return 0
  } finally {
    await client.close()
  }
}
