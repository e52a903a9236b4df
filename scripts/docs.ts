/**
 * Writes the generated parts of README.md (between `<!-- generated:NAME -->` and `<!-- /generated:NAME -->`) from the code.
 * `npm run docs` writes; `--check` only says which parts are stale and exits 1.
 */
import { readFile, writeFile } from 'node:fs/promises'
import { failures } from '#kit'
import type { Cost, Trigger } from '#kit'
import { integrations } from '../integrations/index.ts'
import { deliveriesOf } from '../shared/runtime/catalogue/manifest.ts'
import { createRegistry, costOf } from '../shared/runtime/catalogue/registry.ts'
import type { Loaded, LoadedStep } from '../shared/runtime/catalogue/registry.ts'

const readme = new URL('../README.md', import.meta.url)
const cell = (text: string) => text.replaceAll('|', '\\|').replaceAll('\n', ' ')
export const table = (head: string[], rows: string[][]) =>
  [`| ${head.join(' | ')} |`, `|${head.map(() => '---').join('|')}|`, ...rows.map((row) => `| ${row.map(cell).join(' | ')} |`)].join('\n')

const price = (cost: Cost | undefined) =>
  cost ? `${cost.typical[0] === cost.typical[1] ? cost.typical[0] : cost.typical.join('-')} credit${cost.typical[1] > 1 ? 's' : ''} per ${cost.per}` : '-'

const stepRow = ({ step, tool, needs, loaded }: LoadedStep) => {
  const badges = [step.legacy ? `legacy: use ${step.legacy.use}` : '', needs.length > 0 ? 'needs settings' : ''].filter(Boolean)
  const effect = typeof step.effect === 'function' ? `by method (${loaded.integration.apiCall.methods.join(', ')})` : step.effect
  return [
    step.group ?? '',
    `**${step.title}**${badges.length > 0 ? ` (${badges.join('; ')})` : ''}`,
    `\`${tool}\``,
    effect,
    price(typeof step.cost === 'function' ? costOf(step, {}) : step.cost),
    step.purpose,
  ]
}

const stepsPart = (all: Loaded[]) =>
  all
    .map(
      (loaded) =>
        `### ${loaded.integration.title} (\`${loaded.integration.id}\`)\n\n${loaded.integration.summary}\n\n${table(['Group', 'Step', 'Tool name', 'Effect', 'Price', 'What it does'], [...loaded.steps.values()].map(stepRow))}`,
    )
    .join('\n\n')

const found: Record<Trigger['recoverable'], string> = { all: 'everything', some: 'all but what only webhooks tell', none: 'nothing: only webhooks tell it' }

const triggerRow = (trigger: Trigger) => {
  const { id, title, webhook, purpose, caveat, recoverable } = trigger
  const told = !webhook ? 'polling' : deliveriesOf(trigger).includes('poll') ? 'instant, or polling' : 'instant only'
  return [`**${title}**`, `\`${id}\``, told, `${purpose}${caveat ? ` *${caveat}*` : ''}`, found[recoverable]]
}

const triggersPart = (all: Loaded[]) =>
  all
    .filter(({ integration }) => (integration.triggers?.length ?? 0) > 0)
    .map(
      ({ integration }) =>
        `${integration.title} (\`${integration.id}\`):\n\n${table(['Trigger', 'Id', 'Told', 'What it does, and *what to know*', 'Found again after an outage'], integration.triggers!.map(triggerRow))}`,
    )
    .join('\n\n')

const failuresPart = () =>
  table(
    ['Code', 'HTTP', 'Who acts', 'Repeat as is?', 'Meaning'],
    Object.entries(failures).map(([code, row]) => [`\`${code}\``, String(row.status), row.actor, row.retryable ? 'yes' : 'no', row.meaning]),
  )

const assumedPart = (all: Loaded[]) =>
  all
    .map(
      (loaded) =>
        `**${loaded.integration.id}**\n\n${table(
          ['Setting', 'What is assumed and why'],
          Object.entries(loaded.wire.assumed).map(([what, why]) => [`\`${what}\``, why]),
        )}${loaded.unset.length > 0 ? `\n\nNot shown by the documents, so you have to set: ${loaded.unset.map((setting) => `\`${setting}\``).join(', ')}.` : ''}`,
    )
    .join('\n\n')

/** A README with one generated part exchanged; throws when a marker is missing. */
export const withPart = (text: string, name: string, part: string): string => {
  const open = `<!-- generated:${name} -->`
  const close = `<!-- /generated:${name} -->`
  const [from, to] = [text.indexOf(open), text.indexOf(close)]
  if (from < 0 || to < from) throw new Error(`README.md lacks the markers ${open} … ${close}`)
  return `${text.slice(0, from + open.length)}\n\n${part}\n\n${text.slice(to)}`
}

/** README with its generated parts made anew; throws when a marker is missing. */
export const buildReadme = async (): Promise<{ before: string; after: string }> => {
  const before = await readFile(readme, 'utf8')
  const { all } = createRegistry(integrations)
  const parts: Record<string, string> = { steps: stepsPart(all), triggers: triggersPart(all), failures: failuresPart(), assumed: assumedPart(all) }
  let after = before
  for (const [name, text] of Object.entries(parts)) after = withPart(after, name, text)
  return { before, after }
}

if (import.meta.main) {
  const { before, after } = await buildReadme()
  if (process.argv.includes('--check')) {
    if (before !== after) console.error('README.md is stale: run "npm run docs" and commit it.')
    process.exitCode = before === after ? 0 : 1
  } else {
    await writeFile(readme, after)
    console.log(before === after ? 'README.md was fresh' : 'wrote README.md')
  }
}
