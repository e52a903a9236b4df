import type { Listed, Page } from './paging.ts'

/** An end user of the platform, by the platform's own id. */
export type Person = { tenant: string; id: string; createdAt: number }

export type PeopleStore = {
  people: {
    /** Leaves a person who is known already as they are. Adds nobody where the tenant has `max` people or more. */
    add(person: Person, max?: number): Promise<void>
    get(tenant: string, id: string): Promise<Person | undefined>
    list(tenant: string, page: Page): Promise<Listed<Person>>
  }
}
