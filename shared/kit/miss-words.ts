import type { ReplyCondition } from './profile/reply.ts'

/**
 * How providers say that something does not exist, by what it is ("company", "person profile"). A gateway, a wrong path
 * or another host also says "not found", about a host, a service or a route: a text means a miss only if it begins by
 * naming what is missing.
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

/** Beginnings of texts that say that no person was found. */
export const personMisses: string[] = textsFor(['profile', ...people, ...people.map((thing) => `${thing} profile`)])

/** Beginnings of texts that say that no company was found. */
export const companyMisses: string[] = textsFor(['profile', 'company', 'company profile'])

/** Texts of a search or lookup without a match that do not name what is missing. */
export const matchMisses: string[] = ['no match found', 'no match was found', 'no matches found', 'no matching record']

/** Conditions for replies with this status whose text at `path` begins with one of the texts. */
export const textBegins = (
  status: NonNullable<ReplyCondition['status']>,
  path: string,
  texts: string[],
): ReplyCondition[] => texts.map((begins) => ({ status, path, begins }))

/** Conditions for replies with this status whose text at `path` is exactly one of the texts. */
export const textIs = (
  status: NonNullable<ReplyCondition['status']>,
  path: string,
  texts: string[],
): ReplyCondition[] => texts.map((equals) => ({ status, path, equals }))
