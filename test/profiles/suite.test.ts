import { afterEach, describe, expect, test } from 'vitest'
import { play } from './play.ts'
import type { Play } from './play.ts'
import { knownPeople, knownCompanies, optedOut, vendors } from './vendors.ts'
import type { Vendor } from './vendors.ts'

/** One suite for each ready profile, over the sandbox of its vendor. */

const nobody = (index = 0) => ({ email: `nobody-${index}@no-such-host.example` })
const noCompany = (index = 0) => ({ domain: `nobody-${index}.example` })
const nameOf = (person: { firstName: string; lastName: string }) =>
  `${person.firstName} ${person.lastName}`.toLowerCase()

type Result = { matched?: boolean; record?: { fullName?: string; name?: string }; failed?: { code: string } }
const shown = ({ matched, record, failed }: Result) =>
  failed?.code ?? (matched ? (record?.fullName ?? record?.name ?? '').toLowerCase() : 'no match')

describe.each(vendors)('$profile', (vendor: Vendor) => {
  let open: Play
  const start = async (options: Parameters<typeof play>[2] = {}) =>
    (open = await play(vendor.home, vendor.profile, options))
  afterEach(() => open.close())
  const charged = () => open.control.counters().creditsCharged

  describe('one lookup', () => {
    test('finds a person each way that the vendor takes', async () => {
      const { find } = await start()
      let lookupCount = 0
      for (const way of vendor.ways) {
        const person = knownPeople(vendor).find((candidate) => way(candidate) !== undefined)!
        const { value, failure } = await find(vendor.person, [way(person)!])
        expect(failure, String(lookupCount)).toBeUndefined()
        expect([value.matched, shown(value)]).toEqual([true, nameOf(person)])
        expect(value.record).toMatchObject({
          company: expect.stringMatching(new RegExp(`^${person.company.name}$`, 'i')) as string,
        })
        lookupCount += 1
      }
      expect(open.control.counters().requests).toBe(lookupCount)
    })

    test('finds a company each way that the vendor takes', async () => {
      const { find } = await start()
      for (const way of vendor.companyWays) {
        const company = knownCompanies(vendor).find((candidate) => way(candidate) !== undefined)!
        const { value, failure } = await find(vendor.company, [way(company)!])
        expect(failure).toBeUndefined()
        expect([value.matched, shown(value)]).toEqual([true, company.name.toLowerCase()])
      }
    })

    test('without a match says so, and costs nothing', async () => {
      const { find } = await start()
      for (const [endpoint, values] of [
        [vendor.person, nobody()],
        [vendor.company, noCompany()],
      ] as const) {
        const { value, failure, meta } = await find(endpoint, [values])
        expect([failure, value.matched, meta.credits?.charged ?? 0]).toEqual([undefined, false, 0])
      }
      expect(charged()).toBe(0)
    })

    test('what cannot be sent is refused before anything is sent', async () => {
      const { run } = await start()
      const { failure } = await run(vendor.steps.person, { email: 'no address' })
      expect(failure).toMatchObject({ code: 'invalid_input', errors: [{ pointer: '/email' }] })
      expect(open.control.counters().requests).toBe(0)
    })

    test('costs what the vendor counts', async () => {
      const { find } = await start()
      let sum = 0
      for (const person of knownPeople(vendor).slice(0, 4))
        sum += (await find(vendor.person, [vendor.ways[0]!(person)!])).meta.credits!.charged
      for (const company of knownCompanies(vendor).slice(0, 3))
        sum += (await find(vendor.company, [vendor.companyWays[0]!(company)!])).meta.credits!.charged
      expect(sum).toBe(charged())
      expect(sum).toBeGreaterThan(0)
    })
  })

  describe('the steps', () => {
    test('find a person and a company, and quote a price that holds', async () => {
      const { run } = await start()
      const [person] = knownPeople(vendor)
      const dry = await run(vendor.steps.person, { email: person!.workEmail }, { dryRun: true })
      expect(open.control.counters().requests).toBe(0)
      const outcome = await run(vendor.steps.person, { email: person!.workEmail })
      expect(shown(outcome.value)).toBe(nameOf(person!))
      const [least, most] = dry.value.price.total ?? dry.value.price.typical
      expect(outcome.meta.credits!.charged).toBeGreaterThanOrEqual(least)
      expect(outcome.meta.credits!.charged).toBeLessThanOrEqual(most)
      const company = await run(vendor.steps.company, { domain: person!.company.domain })
      expect(shown(company.value)).toBe(person!.company.name.toLowerCase())
      expect(outcome.meta.credits!.charged + company.meta.credits!.charged).toBe(charged())
    })
  })

  describe('many lookups', () => {
    test('250 records of which 3 are bad: each has its own result, in order, and the charge is that of the vendor', async () => {
      const { run, findMany } = await start()
      const vendorPeople = knownPeople(vendor)
      const bad = new Set([0, 101, 249])
      const records = Array.from({ length: 250 }, (_, index) => {
        if (bad.has(index))
          return vendor.home === 'contact-data' ? { email: 'no address' } : { personId: `no id ${index}` }
        const person = index % 2 === 0 ? vendorPeople[index / 2] : undefined
        return person ? vendor.ways[0]!(person)! : nobody(index)
      })
      const step = vendor.home === 'contact-data'
      const { value, failure, meta } = step
        ? await run('enrich-contacts', { contacts: records })
        : await findMany(
            vendor.person,
            records.map((record) => [record]),
          )
      expect(failure).toBeUndefined()
      const expected = records.map((_, index) => {
        if (bad.has(index)) return step ? 'invalid_input' : 'rejected'
        const person = index % 2 === 0 ? vendorPeople[index / 2] : undefined
        return person ? nameOf(person) : 'no match'
      })
      expect(value.results.map(shown)).toEqual(expected)
      expect(expected.filter((name) => name.includes(' ') && name !== 'no match').length).toBeGreaterThan(50)
      const sent = step ? 247 : 250
      expect(open.control.counters().requests).toBe(Math.ceil(sent / vendor.bulk.person))
      expect(meta.credits!.charged).toBe(charged())
      expect(open.control.counters().refused.tooMany).toBe(0)
    })

    test('250 companies of which 3 are bad', async () => {
      const { findMany } = await start()
      const vendorCompanies = knownCompanies(vendor)
      const records = Array.from({ length: 250 }, (_, index) => {
        if ([7, 120, 200].includes(index)) return {}
        const company = index % 5 === 0 ? vendorCompanies[index / 5] : undefined
        return company ? vendor.companyWays[0]!(company)! : noCompany(index)
      })
      const { value, failure, meta } = await findMany(
        vendor.company,
        records.map((record) => [record]),
      )
      expect(failure).toBeUndefined()
      expect(value.results.map(shown)).toEqual(
        records.map((_, index) => {
          if ([7, 120, 200].includes(index)) return 'invalid_input'
          return (index % 5 === 0 ? vendorCompanies[index / 5]?.name.toLowerCase() : undefined) ?? 'no match'
        }),
      )
      expect(meta.credits!.charged).toBe(charged())
    })

    test('repeated records are asked and paid once; missing ones are no match', async () => {
      const { findMany } = await start()
      const [a, b] = knownPeople(vendor).map((person) => vendor.ways[0]!(person)!)
      const { value, meta } = await findMany(
        vendor.person,
        [a!, nobody(), a!, b!, nobody(), a!].map((record) => [record]),
      )
      const [first, second] = knownPeople(vendor).map(nameOf)
      expect(value.results.map(shown)).toEqual([first, 'no match', first, second, 'no match', first])
      expect(open.control.counters().matches).toBe(2)
      expect(meta.credits!.charged).toBe(charged())
    })
  })

  describe('refusals', () => {
    test('a bad key names what to do and is no missing match', async () => {
      const { find, findMany, reconnect } = await start()
      reconnect('not-the-key-of-this-account')
      for (const ran of [
        await find(vendor.person, [nobody()]),
        await findMany(vendor.person, [[nobody()], [nobody(1)]]),
      ]) {
        expect(ran.failure).toMatchObject({
          code: 'not_connected',
          message: expect.stringMatching(vendor.words.badKey) as string,
        })
      }
    })

    test('out of credits: nothing is called a missing match', async () => {
      const { find, control } = await start()
      control.setCredits(0)
      const { failure } = await find(vendor.person, [vendor.ways[0]!(knownPeople(vendor)[0]!)!])
      expect(failure).toMatchObject({
        code: 'credits_exhausted',
        message: expect.stringMatching(vendor.words.noCredits) as string,
      })
      expect(charged()).toBe(0)
    })

    test('out of credits on the way: what was found stays, the rest is not sent', async () => {
      const { findMany, control } = await start()
      const records = knownPeople(vendor).slice(0, 12)
      const { find } = open
      const singleCharge = (await find(vendor.person, [vendor.ways[0]!(records[0]!)!])).meta.credits!.charged
      control.reset()
      control.setCredits(singleCharge * 3)
      const sent = records.map((person) => [vendor.ways[0]!(person)!])
      const { value, failure } = await findMany(vendor.person, sent)
      if (vendor.bulk.person > 1) return expect(failure).toMatchObject({ code: 'credits_exhausted' })
      const results = value.results.map(shown) as string[]
      const stopped = results.indexOf('credits_exhausted')
      expect(stopped).toBeGreaterThan(0)
      expect(results.slice(stopped)).toEqual(results.slice(stopped).map(() => 'credits_exhausted'))
      expect(open.control.counters().refused.noCredits).toBe(1)
    })

    test('a rate limit narrower than the profile knows is waited for, and no request is refused twice', async () => {
      const { find, control, clock } = await start(vendor.narrow)
      const start_ = clock.now()
      for (const person of knownPeople(vendor).slice(0, 20)) {
        const { failure } = await find(vendor.person, [vendor.ways[0]!(person)!])
        expect(failure).toBeUndefined()
      }
      const statuses = control.requests().map(({ status }) => status)
      expect(statuses.filter((status) => status === 200)).toHaveLength(20)
      expect(statuses.some((status, at) => status === vendor.refusal && statuses[at + 1] === vendor.refusal)).toBe(
        false,
      )
      expect(clock.now()).toBeGreaterThan(start_)
    })

    test('at the pace of the profile nothing is refused', async () => {
      const { findMany, control } = await start()
      await findMany(
        vendor.person,
        knownPeople(vendor)
          .slice(0, 60)
          .map((person) => [vendor.ways[0]!(person)!]),
      )
      expect(control.counters().refused.tooMany).toBe(0)
    })
  })

  describe('persons who opted out', () => {
    test('alone and among others', async () => {
      const { find, findMany, control } = await start()
      const [hidden] = optedOut(vendor)
      const alone = await find(vendor.person, [{ email: hidden!.workEmail }])
      expect(alone.failure?.code ?? (alone.value.matched === false ? 'no match' : 'found')).toBe(vendor.optedOut)
      const [seen] = knownPeople(vendor)
      const { value } = await findMany(vendor.person, [[{ email: hidden!.workEmail }], [vendor.ways[0]!(seen!)!]])
      expect(value.results.map(shown)).toEqual([vendor.optedOut, nameOf(seen!)])
      expect(control.counters().suppressed).toBe(2)
    })
  })

  if (vendor.searches.length > 0)
    test.each(vendor.searches)(
      '$endpoint: pages until the end, each record once, charged as the vendor counts',
      async ({ endpoint, filters, fits, least }) => {
        const { search } = await start()
        const seen: string[] = []
        let sum = 0
        let cursor: string | undefined
        let pages = 0
        do {
          const { value, failure, meta } = await search(endpoint, filters, {
            limit: least,
            ...(cursor === undefined ? {} : { cursor }),
          })
          expect(failure).toBeUndefined()
          for (const { record } of value.records as { record: Record<string, unknown> }[]) {
            expect(fits(record), JSON.stringify(record)).toBe(true)
            seen.push(String(record.id ?? record.domain ?? (record as { email?: string }).email))
          }
          expect(value.total ?? seen.length).toBeGreaterThanOrEqual(seen.length)
          sum += meta.credits?.charged ?? 0
          cursor = value.next as string | undefined
          pages += 1
        } while (cursor !== undefined && pages < 8)
        expect(pages).toBeGreaterThan(1)
        expect(new Set(seen).size).toBe(seen.length)
        expect(sum).toBe(charged())
        const none = await search(endpoint, {
          ...filters,
          ...(endpoint === 'search-companies' ? { domain: 'nobody.example' } : { companyDomain: 'nobody.example' }),
        })
        expect([none.failure, none.value.records]).toEqual([undefined, []])
      },
    )
})
