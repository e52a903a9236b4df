import { Page } from '../../ui/index.ts'
import { JobForm } from './job-form.tsx'

const NewJob = () => (
  <Page title="Look up a file" list="jobs">
    <JobForm />
  </Page>
)

export default NewJob
