/** What the parts of a sentence name, as facts. */
import type { ShownSentence } from '../../../../api/resources/sentence.ts'

type Part = ShownSentence['parts'][number]

const titles = { who: 'Who', what: 'What', where: 'Where', from: 'From', to: 'To' } as const
type Role = keyof typeof titles
const isFact = (part: Part): part is Part & { role: Role } =>
  part.role !== undefined && part.role in titles && !part.unnamed

/** The first part of each role, in the order of the titles. */
export const factsOf = (sentence: ShownSentence | null): { title: string; part: Part }[] => {
  const parts = sentence?.parts.filter(isFact) ?? []
  return Object.entries(titles).flatMap(([role, title]) => {
    const part = parts.find((candidate) => candidate.role === role)
    return part ? [{ title, part }] : []
  })
}
