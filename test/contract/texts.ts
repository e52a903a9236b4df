import { existsSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { join } from 'node:path'
import { didYouMean } from '#kit'
import { readdirSync } from 'node:fs'
import type { Subject } from './structure.ts'

const icons = fileURLToPath(new URL('../../manifests/icons/steps/', import.meta.url))

/** How many characters of a text lists and pickers show; of what agents read, every one costs tokens. */
const limits = { title: 40, summary: 160, purpose: 200 }

const tooLong = (where: string, field: keyof typeof limits, text: string) =>
  text.length > limits[field]
    ? [`${where}: the ${field} has ${text.length} characters, at most ${limits[field]} are shown in lists. Shorten it.`]
    : []

const iconProblems = (where: string, icon: string | undefined): string[] => {
  if (icon === undefined || existsSync(join(icons, `${icon}.svg`))) return []
  const known = readdirSync(icons).map((name) => name.replace('.svg', ''))
  return [
    `${where}: there is no icon "${icon}".${didYouMean(icon, known)} Take one of manifests/icons/steps, or draw ${icon}.svg there.`,
  ]
}

const idProblems = (where: string, id: string): string[] =>
  /^[a-z][a-z0-9]*(-[a-z0-9]+)*$/.test(id)
    ? []
    : [`${where}: the id "${id}" is not kebab-case. Write it in lower-case letters, digits and single hyphens.`]

/** A place with its ids that are there twice. */
const doubled = (where: string, ids: string[]): string[] =>
  [...new Set(ids.filter((id, index) => ids.indexOf(id) !== index))].map(
    (id) => `${where} has "${id}" twice. Remove one, or give it another id.`,
  )

/** Ids, titles, icons and the length of texts. */
export const textProblems = ({ integration }: Subject): string[] => {
  const { id, title, summary, version, connections, steps, triggers = [] } = integration
  const parts = [
    ...steps.map((part) => ({ part, where: `steps/${part.id}.ts` })),
    ...triggers.map((part) => ({ part, where: `triggers/${part.id}.ts` })),
  ]
  return [
    ...idProblems('manifest.ts', id),
    ...(title.trim() === '' ? ['manifest.ts: the title is empty. Give the name of the provider.'] : []),
    ...tooLong('manifest.ts', 'title', title),
    ...tooLong('manifest.ts', 'summary', summary),
    ...(/^[A-Z].{15,}\.$/s.test(summary)
      ? []
      : ['manifest.ts: the summary is one sentence, with a capital and a full stop. Say what people do with it.']),
    ...(/^\d+\.\d+\.\d+$/.test(version)
      ? []
      : [`manifest.ts: the version "${version}" is not of the form major.minor.patch. Begin with 0.1.0.`]),
    ...doubled(
      'manifest.ts: connections',
      connections.map((type) => type.id),
    ),
    ...doubled(
      'manifest.ts: steps',
      steps.map((step) => step.id),
    ),
    ...doubled(
      'manifest.ts: triggers',
      triggers.map((trigger) => trigger.id),
    ),
    ...parts.flatMap(({ part, where }) => [
      ...idProblems(where, part.id),
      ...tooLong(where, 'title', part.title),
      ...tooLong(where, 'purpose', part.purpose),
      ...iconProblems(where, part.icon),
    ]),
  ]
}
