/**
 * Generates parts of the documents (between `<!-- generated:NAME -->` and `<!-- /generated:NAME -->`) from the code.
 * `npm run docs` writes them; `--check` only lists stale pages and then exits with 1.
 */
import { readFile, writeFile } from 'node:fs/promises'
import { failures } from '#kit'
import type { Cost, Trigger } from '#kit'
import { integrations } from '../integrations/index.ts'
import { deliveriesOf } from '../shared/runtime/catalogue/manifest.ts'
import { whyWebhookOnly } from '../shared/runtime/catalogue/why-webhook-only.ts'
import { createRegistry } from '../shared/runtime/catalogue/registry.ts'
import type { LoadedIntegration, LoadedStep } from '../shared/runtime/catalogue/registry.ts'
import { llmsFullText, llmsText } from './docs-index.ts'
import { manifestParts } from './manifest-tables.ts'
import { profileFieldTables } from './profile-fields.ts'
import { profileAssumed, profileFieldTable, profileSteps } from './profile-tables.ts'

const cell = (text: string) => text.replaceAll('|', '\\|').replaceAll('\n', ' ')
export const table = (head: string[], rows: string[][]) =>
  [
    `| ${head.join(' | ')} |`,
    `|${head.map(() => '---').join('|')}|`,
    ...rows.map((row) => `| ${row.map(cell).join(' | ')} |`),
  ].join('\n')

const price = (cost: Cost | undefined) =>
  cost
    ? `${cost.typical[0] === cost.typical[1] ? cost.typical[0] : cost.typical.join('-')} credit${cost.typical[1] > 1 ? 's' : ''} per ${cost.per}`
    : '-'

const stepRow = ({ step, tool, needs, loaded }: LoadedStep) => {
  const badges = [step.legacy ? `legacy: use ${step.legacy.use}` : '', needs.length > 0 ? 'needs settings' : ''].filter(
    Boolean,
  )
  const effect =
    typeof step.effect === 'function' ? `by method (${loaded.integration.apiCall.methods.join(', ')})` : step.effect
  return [
    step.group ?? '',
    `**${step.title}**${badges.length > 0 ? ` (${badges.join('; ')})` : ''}`,
    `\`${tool}\``,
    effect,
    price(typeof step.cost === 'function' ? step.cost({}) : step.cost),
    step.purpose,
  ]
}

const stepsPart = (all: LoadedIntegration[]) =>
  all
    .map(
      (loaded) =>
        `## ${loaded.integration.title} (\`${loaded.integration.id}\`)\n\n${loaded.integration.summary}\n\n${table(['Group', 'Step', 'Tool name', 'Effect', 'Price', 'What it does'], [...loaded.steps.values()].map(stepRow))}`,
    )
    .join('\n\n')

const recovered: Record<Trigger['recoverable'], string> = {
  all: 'everything',
  some: 'everything except webhook-only events',
  none: 'nothing: webhook only',
}

const triggerRow = (trigger: Trigger, integration: LoadedIntegration['integration']) => {
  const { id, title, webhook, purpose, caveat, recoverable } = trigger
  const delivery = !webhook
    ? 'polling'
    : deliveriesOf(trigger).includes('poll')
      ? 'instant, or polling'
      : 'instant only'
  const reasons = Object.entries(whyWebhookOnly(trigger, integration).whyWebhookOnly ?? {})
  const typesByReason = Map.groupBy(reasons, ([, why]) => why)
  const isForAll = recoverable === 'none' && typesByReason.size === 1
  const reasonNotes = [...typesByReason].map(([why, types]) =>
    isForAll ? why : `${types.map(([type]) => `\`${type}\``).join(', ')}: ${why}`,
  )
  const notes = [...(caveat ? [caveat] : []), ...reasonNotes]
  const description = [purpose, ...notes.map((note) => `*${note}*`)].join(' ')
  return [`**${title}**`, `\`${id}\``, delivery, description, recovered[recoverable]]
}

const triggersPart = (all: LoadedIntegration[]) =>
  all
    .filter(({ integration }) => (integration.triggers?.length ?? 0) > 0)
    .map(
      ({ integration }) =>
        `## ${integration.title} (\`${integration.id}\`)\n\n${table(
          ['Trigger', 'Id', 'Delivery', 'What it does, and *what to know*', 'Recovered after an outage'],
          integration.triggers!.map((trigger) => triggerRow(trigger, integration)),
        )}`,
    )
    .join('\n\n')

const failuresPart = () =>
  table(
    ['Code', 'HTTP', 'Who acts', 'Repeat as is?', 'Meaning'],
    Object.entries(failures).map(([code, row]) => [
      `\`${code}\``,
      String(row.status),
      row.actor,
      row.retryable ? 'yes' : 'no',
      row.meaning,
    ]),
  )

const assumedPart = (all: LoadedIntegration[]) =>
  all.map(({ integration }) => profileAssumed(integration, table)).join('\n\n')

/** Exit codes of the command line, with the failures that lead to each. */
const exitsPart = () => {
  const codes = Object.entries(failures).map(([code, { exit }]) => ({ code, exit }))
  const exits = [...new Set(codes.map(({ exit }) => exit))].toSorted((a, b) => a - b)
  return table(
    ['Exit code', 'Failure'],
    [
      ['0', 'none'],
      ...exits.map((exit) => [
        String(exit),
        codes.flatMap(({ code, exit: its }) => (its === exit ? [`\`${code}\``] : [])).join(', '),
      ]),
    ],
  )
}

const profilePart = () => profileFieldTables(table)

const byProfile = (part: typeof profileSteps, id: string) => (all: LoadedIntegration[]) =>
  part(all.find(({ integration }) => integration.id === id)!.integration, table)

/** The generated parts of each page, in page order. */
const pages: Record<string, Record<string, (all: LoadedIntegration[]) => string>> = {
  'docs/command-line.md': { exits: exitsPart },
  'docs/assumptions.md': { assumed: assumedPart },
  'docs/profile-list.md': Object.fromEntries(
    ['contact-data', 'anz-data'].flatMap((id) => [
      [`steps-${id}`, byProfile(profileSteps, id)],
      [`fields-${id}`, byProfile(profileFieldTable, id)],
    ]),
  ),
  'docs/manifest.md': Object.fromEntries(
    Object.entries(manifestParts).map(([name, part]) => [name, () => part(table)]),
  ),
  'docs/step-list.md': { steps: stepsPart },
  'docs/steps.md': { failures: failuresPart },
  'docs/trigger-list.md': { triggers: triggersPart },
  'docs/wire-profile.md': { profile: profilePart },
}

/** A page with one generated part replaced. @throws Error when a marker is missing */
export const withPart = (text: string, name: string, part: string): string => {
  const open = `<!-- generated:${name} -->`
  const close = `<!-- /generated:${name} -->`
  const [from, to] = [text.indexOf(open), text.indexOf(close)]
  if (from < 0 || to < from) throw new Error(`The markers ${open} … ${close} are missing.`)
  return `${text.slice(0, from + open.length)}\n\n${part}\n\n${text.slice(to)}`
}

export const fileOf = (page: string): URL => new URL(`../${page}`, import.meta.url)

const readPage = async (page: string) => await readFile(fileOf(page), 'utf8')

/** Every generated page, with its current and its expected text. */
export const buildPages = async (): Promise<{ page: string; before: string; after: string }[]> => {
  const { all } = createRegistry(integrations)
  const withParts = await Promise.all(
    Object.entries(pages).map(async ([page, parts]) => {
      const before = await readPage(page)
      const after = Object.entries(parts).reduce((text, [name, part]) => withPart(text, name, part(all)), before)
      return { page, before, after }
    }),
  )
  const index = await readPage('docs/README.md')
  const textOf = async (page: string) =>
    withParts.find((written) => written.page === page)?.after ?? (await readPage(page))
  const generated = { 'docs/llms.txt': llmsText(index), 'docs/llms-full.txt': await llmsFullText(index, textOf) }
  const whole = Object.entries(generated).map(async ([page, after]) => {
    return { page, before: await readPage(page).catch(() => ''), after }
  })
  return [...withParts, ...(await Promise.all(whole))]
}

if (import.meta.main) {
  const stale = (await buildPages()).filter(({ before, after }) => before !== after)
  if (process.argv.includes('--check')) {
    for (const { page } of stale) console.error(`${page} is stale: run "npm run docs" and commit it.`)
    process.exitCode = stale.length > 0 ? 1 : 0
  } else {
    for (const { page, after } of stale) await writeFile(fileOf(page), after)
    console.log(stale.length > 0 ? `wrote ${stale.map(({ page }) => page).join(', ')}` : 'every page was fresh')
  }
}
