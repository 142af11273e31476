import { MasterKeyUnavailableError } from '../../../domain/model/errors.ts';
import type { AwsCredentialsPlace } from './aws-credentials.ts';

/** What selects the place of credentials for AWS. */
export interface AwsCredentialsOrigin {
  /** SIGNING_AWS_CREDENTIALS_FILE. */
  readonly credentialsFile: string | null;
  /** The variables that ECS and EKS Pod Identity set in a container. */
  readonly container: {
    /** AWS_CONTAINER_CREDENTIALS_RELATIVE_URI. */
    readonly relativeUri: string | null;
    /** AWS_CONTAINER_CREDENTIALS_FULL_URI. */
    readonly fullUri: string | null;
    /** AWS_CONTAINER_AUTHORIZATION_TOKEN_FILE. */
    readonly tokenFile: string | null;
  };
}

const ECS_AGENT = 'http://169.254.170.2';
const INSTANCE_METADATA = new URL('http://169.254.169.254');
/** This machine, ECS and EKS Pod Identity, as the AWS SDKs accept. */
const HTTP_HOSTS: readonly string[] = [
  ...['localhost', '127.0.0.1', '[::1]'],
  ...['169.254.170.2', '169.254.170.23', '[fd00:ec2::23]'],
];

/**
 * The file, else the container's endpoint, else the instance's metadata service.
 * Source: https://docs.aws.amazon.com/sdkref/latest/guide/feature-container-credentials.html
 * @throws MasterKeyUnavailableError for an endpoint that is not safe
 */
export function findAwsCredentialsPlace({ credentialsFile, container }: AwsCredentialsOrigin): AwsCredentialsPlace {
  if (credentialsFile !== null) return { kind: 'file', file: credentialsFile };
  const { relativeUri, fullUri, tokenFile } = container;
  if (relativeUri !== null) return { kind: 'container', url: parseRelative(relativeUri), tokenFile };
  if (fullUri !== null) return { kind: 'container', url: parseFull(fullUri), tokenFile };
  return { kind: 'instance', metadataServer: INSTANCE_METADATA };
}

function parseRelative(path: string): URL {
  const url = path.startsWith('/') && URL.canParse(`${ECS_AGENT}${path}`) ? new URL(`${ECS_AGENT}${path}`) : null;
  if (url !== null) return url;
  throw new MasterKeyUnavailableError(
    'AWS_CONTAINER_CREDENTIALS_RELATIVE_URI must be a path that begins with /; remove or correct it',
  );
}

function parseFull(given: string): URL {
  const url = URL.canParse(given) ? new URL(given) : null;
  const isSafe = url?.protocol === 'https:' || (url?.protocol === 'http:' && HTTP_HOSTS.includes(url.hostname));
  if (url !== null && isSafe && `${url.username}${url.password}` === '') return url;
  throw new MasterKeyUnavailableError(
    'AWS_CONTAINER_CREDENTIALS_FULL_URI must be an HTTPS URL, or an HTTP URL of this machine, ECS or EKS Pod Identity; correct it',
  );
}
