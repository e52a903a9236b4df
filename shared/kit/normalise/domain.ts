import { parse } from 'tldts'
import { accept, hasScheme, quote, readText, readUrl, refuse } from './normalised.ts'
import type { Normalised } from './normalised.ts'

const remedy = 'Give a domain such as "example.com.au".'

// A shop on a hosting domain is a company of its own: shop.myshopify.com must not become myshopify.com.
const suffixes = { allowPrivateDomains: true, extractHostname: false } as const

const label = /^[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$/

type Place = { host: string; domain: string }

/** Registrable domain of an ASCII host name, or undefined where the host is itself a public suffix ("com.au"). */
const registrable = (host: string): string | undefined => {
  const parsedHost = parse(host, suffixes)
  // The owner of a hosting domain is a company too: wordpress.com by itself is a domain.
  return parsedHost.domain ?? (parsedHost.isPrivate === true && parsedHost.publicSuffix === host ? host : undefined)
}

/** The host name that `URL` gives, without a trailing dot, or why it names no host on the public internet. */
const checkHost = (host: string, shown: string): Normalised => {
  const name = host.replace(/\.$/, '')
  if (name.startsWith('[') || /^[\d.]+$/.test(name)) {
    return refuse(`${quote(shown)} is an IP address, which names no company. ${remedy}`)
  }
  const labels = name.split('.')
  if (labels.length < 2) return refuse(`${quote(shown)} is a single word, not a domain. ${remedy}`)
  if (name.length > 253 || !labels.every((part) => label.test(part))) {
    return refuse(`${quote(shown)} is not a valid domain name. ${remedy}`)
  }
  return accept(name)
}

/** A bare host name in ASCII and lower case, including `www.`: the part of an e-mail address after "@". */
export const normaliseHostName = (text: string): Normalised => {
  const url = /[\s\\/:@?#]/.test(text) ? undefined : readUrl(`https://${text}`)
  return url === undefined
    ? refuse(`${quote(text)} is not a valid domain name. ${remedy}`)
    : checkHost(url.hostname, text)
}

const readPlace = (host: string, shown: string): Normalised<Place> => {
  const name = checkHost(host, shown)
  if (!name.ok) return name
  let bareHost = name.value
  // "www.gov.au" is a site of its own, because gov.au is a public suffix: remove www only where a domain remains.
  while (bareHost.startsWith('www.') && registrable(bareHost.slice(4)) !== undefined) bareHost = bareHost.slice(4)
  const domain = registrable(bareHost)
  return domain === undefined
    ? refuse(`${quote(shown)} is a public suffix under which others register, not the domain of one company. ${remedy}`)
    : accept({ host: bareHost, domain })
}

const parseAddress = (input: unknown, what: string, hint: string): Normalised<URL> => {
  const read = readText(input, what, hint)
  if (!read.ok) return read
  const text = read.value
  if (/[\s\\]/.test(text)) return refuse(`${quote(text)} holds a space or a backslash. ${hint}`)
  const url = readUrl(hasScheme(text) ? text : text.startsWith('//') ? `https:${text}` : `https://${text}`)
  if (url === undefined) return refuse(`${quote(text)} cannot be read as a web address or domain. ${hint}`)
  if (url.protocol !== 'https:' && url.protocol !== 'http:') {
    return refuse(`${quote(text)} is not a web address (http or https). ${hint}`)
  }
  return accept(url)
}

const placeOf = (input: unknown): Normalised<Place> => {
  const url = parseAddress(input, 'The domain', remedy)
  return url.ok ? readPlace(url.value.hostname, String(input).trim()) : url
}

/**
 * Registrable domain of a company, in ASCII and lower case: `https://www.Shop.example.com.au/x` → `example.com.au`.
 * Takes domains, host names, web addresses and e-mail addresses. Refuses IP addresses, single words and public
 * suffixes.
 */
export const normaliseDomain = (input: unknown): Normalised => {
  const place = placeOf(input)
  return place.ok ? accept(place.value.domain) : place
}

/** Full host name without a leading `www.`: the second key beside the registrable domain (`shop.example.com.au`). */
export const normaliseHost = (input: unknown): Normalised => {
  const place = placeOf(input)
  return place.ok ? accept(place.value.host) : place
}

/**
 * Web address of a company with scheme and without fragment: `Example.com.au/about#team` →
 * `https://example.com.au/about`. `www.` stays, because some sites answer only there. Refuses what `normaliseDomain`
 * refuses, and user names in the address.
 */
export const normaliseWebsite = (input: unknown): Normalised => {
  const hint = 'Give an address such as "https://example.com.au".'
  const url = parseAddress(input, 'The website', hint)
  if (!url.ok) return url
  if (url.value.username !== '' || url.value.password !== '') {
    return refuse(`The website holds a user name or password before "@". ${hint}`)
  }
  const place = readPlace(url.value.hostname, String(input).trim())
  if (!place.ok) return place
  url.value.hash = ''
  url.value.hostname = url.value.hostname.replace(/\.$/, '')
  return accept(url.value.href)
}
