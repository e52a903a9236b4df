import type { ReplyCondition } from './profile/reply.ts'

/**
 * How providers say that there is no such thing, by what it is ("company", "person profile"). A gateway, a wrong path
 * and another host say "not found" too, of a host, a service or a route: a text means a miss only if it begins with
 * what is missing.
 */
const textsFor = (things: string[]): string[] =>
  things.flatMap((thing) => [
    `no such ${thing}`,
    `no matching ${thing}`,
    `${thing} not found`,
    `${thing} was not found`,
    `no ${thing} found`,
    `no ${thing} was found`,
  ])

const people = ['person', 'people', 'contact']

/** Beginnings of texts that say that nobody is found. */
export const personMisses: string[] = textsFor(['profile', ...people, ...people.map((thing) => `${thing} profile`)])

/** Beginnings of texts that say that no company is found. */
export const companyMisses: string[] = textsFor(['profile', 'company', 'company profile'])

/** Texts of a search or lookup without a match that do not name what is missing. */
export const matchMisses: string[] = ['no match found', 'no match was found', 'no matches found', 'no matching record']

/** Replies of that status whose text at `path` begins with one of the texts. */
export const textBegins = (
  status: NonNullable<ReplyCondition['status']>,
  path: string,
  texts: string[],
): ReplyCondition[] => texts.map((begins) => ({ status, path, begins }))

/** Replies of that status whose text at `path` is one of the texts and nothing else. */
export const textIs = (
  status: NonNullable<ReplyCondition['status']>,
  path: string,
  texts: string[],
): ReplyCondition[] => texts.map((equals) => ({ status, path, equals }))
