import type { TriggerManifest } from '../../runtime/catalogue/manifest.ts'
import type { Client, FoundStep } from './client.ts'
import { deliveredBy } from './describe.ts'
import { table, wrap } from './table.ts'
import { typed } from './terminal.ts'
import type { Terminal } from './terminal.ts'

type Asked = { words: string[]; integration?: string; json?: boolean }

const flags = (step: FoundStep) => [...(step.legacy ? ['legacy'] : []), ...(step.cost ? ['credits'] : []), ...(step.ready ? [] : ['not ready'])].join(', ')

type FoundTrigger = TriggerManifest & { integration: string }

const hasAll = ({ id, title, purpose }: TriggerManifest, words: string[]) => {
  const text = `${id} ${title} ${purpose}`.toLowerCase()
  return words.every((word) => text.includes(word.toLowerCase()))
}

const findTriggers = async (client: Client, ids: string[], words: string[]): Promise<FoundTrigger[]> => {
  const manifests = await Promise.all(ids.map((id) => client.manifest(id)))
  return manifests.flatMap(({ id, triggers }) => triggers.filter((one) => hasAll(one, words)).map((one) => ({ ...one, integration: id })))
}

/** `toolyard list`: integrations with their steps and triggers. */
export const list = async (client: Client, terminal: Terminal, { words, integration, json }: Asked): Promise<number> => {
  try {
    const [all, steps] = await Promise.all([client.integrations(), client.steps({ query: words.length > 0 ? words.join(' ') : undefined, integration })])
    const integrations = all.filter(({ id }) => integration === undefined || id === integration)
    const triggers = await findTriggers(
      client,
      integrations.map(({ id }) => id),
      words.flatMap((word) => word.split(/\s+/)),
    )
    if (json) {
      terminal.out(`${JSON.stringify({ integrations, steps, triggers })}\n`)
      return 0
    }
    for (const { id, title, summary } of integrations) {
      const stepRows = steps.filter((step) => step.integration === id).map((step) => [step.id, step.effect, flags(step), step.purpose])
      const triggerRows = triggers.filter((one) => one.integration === id).map((one) => [one.id, deliveredBy(one), one.purpose])
      if (stepRows.length + triggerRows.length === 0) continue
      terminal.out(`${wrap(`${title} (${id}): ${summary}`, terminal.width)}\n`)
      if (stepRows.length > 0) terminal.out(`${table(['step', 'effect', '', 'what it does'], stepRows, terminal.width, '  ')}\n\n`)
      if (triggerRows.length > 0) terminal.out(`${table(['trigger', 'delivery', 'what starts the agent'], triggerRows, terminal.width, '  ')}\n\n`)
    }
    if (steps.length + triggers.length === 0) terminal.out(`No step or trigger contains all these words: ${words.join(' ')}\n`)
    else terminal.out(`Fields of a step or trigger: ${typed(terminal, 'describe <integration> <step>')}\n`)
    return 0
  } finally {
    await client.close()
  }
}
