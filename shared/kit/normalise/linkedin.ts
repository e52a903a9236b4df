import { accept, hasScheme, quote, readText, readUrl, refuse } from './normalised.ts'
import type { Normalised } from './normalised.ts'

type Kind = 'person' | 'company'

const remedies = {
  person: 'Give the address of a public profile such as "https://www.linkedin.com/in/name-123".',
  company: 'Give the address of a company page such as "https://www.linkedin.com/company/name".',
}

/**
 * A parsed address. `slug` is absent where the address is valid but its slug cannot be derived (some old /pub/ forms).
 */
type Profile = { segment: 'in' | 'pub' | 'company' | 'school' | 'showcase'; path: string; slug?: string }

const kinds: { [segment: string]: Kind } = {
  in: 'person',
  pub: 'person',
  company: 'company',
  school: 'company',
  showcase: 'company',
}

/** Pages that look like profiles but hold no public name, and what to do instead. */
const opaque: { [segment: string]: string } = {
  sales:
    'is a Sales Navigator page, whose id is private to one subscriber. Open the public profile and give that address.',
  talent: 'is a Recruiter page, whose id is private to one subscriber. Open the public profile and give that address.',
  recruiter:
    'is a Recruiter page, whose id is private to one subscriber. Open the public profile and give that address.',
  posts: 'is the address of a post. Give the address of its author instead.',
  feed: 'is the address of a post. Give the address of its author instead.',
  login: 'is a sign-in page. Open the profile and copy its address from there.',
  authwall: 'is a sign-in page. Open the profile and copy its address from there.',
  checkpoint: 'is a sign-in page. Open the profile and copy its address from there.',
}

// Company slugs hold punctuation ("name.com", "a-&-b"); person slugs are letters, digits and hyphens, older ones also
// symbols.
const slugs = {
  person: /^[\p{L}\p{M}\p{N}\p{So}\p{Sk}\u200c\u200d_'’·~&+-]+$/u,
  company: /^(?!\.+$)[\p{L}\p{M}\p{N}\p{S}\u200c\u200d_'’·~&+.,!()*;=-]+$/u,
}

// Member ids are case-sensitive and meaningful to LinkedIn only: lower-casing breaks them, and no provider finds them.
const memberId = /^ac[ow]aa[\w-]{20,}$/i

const checkSlug = (encoded: string, kind: Kind): Normalised => {
  let text: string
  try {
    text = decodeURIComponent(encoded)
  } catch {
    return refuse(`${quote(encoded)} is not correctly percent-encoded UTF-8. ${remedies[kind]}`)
  }
  const slug = text.normalize('NFC').toLowerCase().normalize('NFC')
  if (memberId.test(slug)) {
    return refuse(
      `${quote(text)} is an internal member id. Open the profile and give the address the browser then shows.`,
    )
  }
  if (slug.includes('%')) return refuse(`${quote(encoded)} is percent-encoded twice. ${remedies[kind]}`)
  if (!slugs[kind].test(slug)) {
    return refuse(`${quote(text)} holds characters that a LinkedIn ${kind} name cannot have. ${remedies[kind]}`)
  }
  if ([...slug].length > 150) return refuse(`${quote(text)} is longer than a LinkedIn name can be. ${remedies[kind]}`)
  return accept(slug)
}

/**
 * Old form /pub/name/a7/576/b50 is /in/name-b50576a7 today: the parts in reverse order. Where the last two parts are
 * shorter than three characters the padding is not known, so the address stays as it is.
 */
const readPub = (parts: string[], shown: string): Normalised<Profile> => {
  const [name, ...ids] = parts
  if (name === undefined || name.toLowerCase() === 'dir') {
    return refuse(`${quote(shown)} is a list of people of one name, not a profile. ${remedies.person}`)
  }
  const slug = checkSlug(name, 'person')
  if (!slug.ok) return slug
  const [first = '', second = '', third = ''] = ids.map((id) => id.toLowerCase())
  if (![first, second, third].every((id) => /^[0-9a-f]{1,3}$/.test(id))) {
    return refuse(`${quote(shown)} is an incomplete profile address of the old form. ${remedies.person}`)
  }
  const path = [slug.value, first, second, third].join('/')
  if (first.length < 2 || second.length < 3 || third.length < 3) return accept({ segment: 'pub', path })
  const now = checkSlug(encodeURIComponent(`${slug.value}-${third}${second}${first}`), 'person')
  return now.ok ? accept({ segment: 'in', path: now.value, slug: now.value }) : now
}

const readPath = (pathname: string, shown: string, kind: Kind): Normalised<Profile> => {
  let parts = pathname.split('/').filter((part) => part !== '')
  // Path prefixes of the mobile site and of links in e-mails; the profile follows them.
  if (/^(mwlite|comm)$/i.test(parts[0] ?? '')) parts = parts.slice(1)
  const segment = (parts[0] ?? '').toLowerCase()
  const reason = Object.hasOwn(opaque, segment) ? opaque[segment] : undefined
  if (reason !== undefined) return refuse(`${quote(shown)} ${reason}`)
  const namedKind = Object.hasOwn(kinds, segment) ? kinds[segment] : undefined
  if (namedKind === undefined)
    return refuse(`${quote(shown)} is not the address of a LinkedIn ${kind}. ${remedies[kind]}`)
  if (namedKind !== kind)
    return refuse(`${quote(shown)} is the address of a ${namedKind}, not of a ${kind}. ${remedies[kind]}`)
  if (segment === 'pub') return readPub(parts.slice(1), shown)
  // What follows the slug is a language (/en) or a tab (/about, /details) of the same profile.
  const name = parts[1]
  if (name === undefined) return refuse(`${quote(shown)} stops before the name of the ${kind}. ${remedies[kind]}`)
  const slug = checkSlug(name, kind)
  return slug.ok ? accept({ segment: segment as Profile['segment'], path: slug.value, slug: slug.value }) : slug
}

const readAddress = (text: string, kind: Kind): Normalised<Profile> => {
  if (/[\s\\]/.test(text)) return refuse(`${quote(text)} holds a space or a backslash. ${remedies[kind]}`)
  const url = readUrl(hasScheme(text) ? text : text.startsWith('//') ? `https:${text}` : `https://${text}`)
  if (url === undefined || (url.protocol !== 'https:' && url.protocol !== 'http:')) {
    return refuse(`${quote(text)} cannot be read as a web address. ${remedies[kind]}`)
  }
  const host = url.hostname.replace(/\.$/, '')
  if (host === 'lnkd.in') {
    return refuse(
      `${quote(text)} is a short link, which hides where it leads. Open it and give the address it leads to.`,
    )
  }
  // Only the end of the host decides: linkedin.com.evil.example and notlinkedin.com are other people's sites.
  if (host !== 'linkedin.com' && !host.endsWith('.linkedin.com')) {
    return refuse(`${quote(text)} is not on linkedin.com. ${remedies[kind]}`)
  }
  if (url.username !== '' || url.password !== '' || url.port !== '') {
    return refuse(`${quote(text)} has a user name or port in it. ${remedies[kind]}`)
  }
  return readPath(url.pathname, text, kind)
}

const read = (input: unknown, kind: Kind): Normalised<Profile> => {
  const what = `The LinkedIn ${kind}`
  const text = readText(input, what, remedies[kind])
  if (!text.ok) return text
  if (/[/\\:]/.test(text.value)) return readAddress(text.value, kind)
  if (text.value.includes('@')) return refuse(`${quote(text.value)} is an e-mail address. ${remedies[kind]}`)
  const slug = checkSlug(text.value, kind)
  return slug.ok ? accept({ segment: kind === 'person' ? 'in' : 'company', path: slug.value, slug: slug.value }) : slug
}

const slugOf = (input: unknown, kind: Kind): Normalised => {
  const profile = read(input, kind)
  if (!profile.ok) return profile
  if (profile.value.slug !== undefined) return accept(profile.value.slug)
  const shown = quote(String(input).trim())
  return refuse(
    `The present name cannot be worked out from the old form ${shown}. Open it and copy the address it leads to.`,
  )
}

const urlOf = (input: unknown, kind: Kind): Normalised => {
  const profile = read(input, kind)
  if (!profile.ok) return profile
  const path = profile.value.path.split('/').map(encodeURIComponent).join('/')
  return accept(`https://www.linkedin.com/${profile.value.segment}/${path}`)
}

/**
 * Slug of a person from a profile address or a bare slug, decoded, NFC, lower case: `AU.linkedin.com/in/J%C3%B6rg/en` →
 * `jörg`.
 */
export const linkedinPersonSlug = (input: unknown): Normalised => slugOf(input, 'person')

/**
 * Address of a person, `https://www.linkedin.com/in/<slug>` (percent-encoded), from any address form or a bare slug.
 */
export const linkedinPersonUrl = (input: unknown): Normalised => urlOf(input, 'person')

/** Slug or numeric id of a company, school or showcase page, from its address or bare. */
export const linkedinCompanySlug = (input: unknown): Normalised => slugOf(input, 'company')

/**
 * Address of a company page, `https://www.linkedin.com/company/<slug>`; /school/ and /showcase/ pages keep their kind.
 */
export const linkedinCompanyUrl = (input: unknown): Normalised => urlOf(input, 'company')
