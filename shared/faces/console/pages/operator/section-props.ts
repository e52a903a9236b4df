/** What every section of the operator's page is given. */
export type SectionProps = { tenant: string }
