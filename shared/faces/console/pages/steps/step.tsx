import { Page } from '../../ui/page.tsx'

const Step = () => <Page title="Step">{null}</Page>

export default Step
