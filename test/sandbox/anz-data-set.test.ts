import { expect, test } from 'vitest'
import { normaliseAbn, normaliseAcn, normaliseNzbn } from '../../shared/kit/normalise/abn.ts'
import { normaliseDomain } from '../../shared/kit/normalise/domain.ts'
import { normaliseEmail } from '../../shared/kit/normalise/email.ts'
import { linkedinCompanySlug, linkedinPersonSlug } from '../../shared/kit/normalise/linkedin.ts'
import { createDataSet } from '../../shared/sandbox/people/data-set.ts'

const { companies, people } = createDataSet()

const oneDigitChanges = (digits: string) =>
  [...digits].flatMap((digit, at) =>
    [...'0123456789']
      .filter((other) => other !== digit)
      .map((other) => digits.slice(0, at) + other + digits.slice(at + 1)),
  )

test('the data set is the same every time, and about 200 strong', () => {
  expect(createDataSet()).toEqual({ companies, people })
  expect([companies.length, people.length]).toEqual([60, 200])
})

test('every Australian company has a valid ABN and ACN, and no one-digit change of the ABN is valid', () => {
  const australian = companies.filter(({ place }) => place.country === 'AU')
  expect(australian.length).toBeGreaterThan(30)
  for (const { abn = '', acn = '' } of australian) {
    expect(normaliseAbn(abn)).toEqual({ ok: true, value: abn })
    expect(normaliseAcn(acn)).toEqual({ ok: true, value: acn })
    expect(abn.slice(2)).toBe(acn)
    expect(oneDigitChanges(abn).filter((changed) => normaliseAbn(changed).ok)).toEqual([])
  }
})

test('every New Zealand company has a valid NZBN, and others have neither number', () => {
  for (const { place, abn, nzbn = '' } of companies) {
    if (place.country === 'NZ') expect(normaliseNzbn(nzbn)).toEqual({ ok: true, value: nzbn })
    if (place.country !== 'AU') expect(abn).toBeUndefined()
    if (place.country !== 'NZ') expect(nzbn).toBe('')
  }
})

test('identifiers are unique, already normal, and under domains kept for examples', () => {
  const emails = people.flatMap(({ workEmail, personalEmail }) => [workEmail ?? [], personalEmail ?? []].flat())
  const slugs = people.flatMap(({ linkedinSlug }) => linkedinSlug ?? [])
  const all = [
    ...emails,
    ...slugs,
    ...companies.map(({ domain }) => domain),
    ...companies.map(({ linkedinId }) => linkedinId),
  ]
  expect(new Set(all).size).toBe(all.length)
  for (const email of emails) {
    expect(normaliseEmail(email)).toEqual({ ok: true, value: email })
    expect(email).toMatch(/\.example$/)
  }
  for (const slug of slugs) expect(linkedinPersonSlug(slug)).toEqual({ ok: true, value: slug })
  for (const { domain, linkedinSlug } of companies) {
    expect(normaliseDomain(`https://www.${domain}/`)).toEqual({ ok: true, value: domain })
    expect(linkedinCompanySlug(linkedinSlug)).toEqual({ ok: true, value: linkedinSlug })
  }
})

test('the awkward cases are there: opted out, no telephone, every do-not-call flag, letters beyond ASCII, one provider only', () => {
  const flags = new Set(people.flatMap(({ phones }) => phones.map(({ doNotCall }) => doNotCall)))
  expect(flags).toEqual(new Set([true, false, null]))
  const counts = {
    suppressed: people.filter(({ suppressed }) => suppressed).length,
    withoutPhone: people.filter(({ phones }) => phones.length === 0).length,
    withoutWorkEmail: people.filter(({ workEmail }) => workEmail === undefined).length,
    withoutSlug: people.filter(({ linkedinSlug }) => linkedinSlug === undefined).length,
    wideSlug: people.filter(({ linkedinSlug }) => /[^\x20-\x7e]/.test(linkedinSlug ?? '')).length,
    anzOnly: people.filter(({ knownTo }) => knownTo.join() === 'anz').length,
    contactOnly: people.filter(({ knownTo }) => knownTo.join() === 'contact').length,
  }
  for (const count of Object.values(counts)) expect(count).toBeGreaterThan(4)
})
