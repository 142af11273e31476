/** Group order of P-256 (SEC 2 §2.4.2), hex. */
export const GROUP_ORDER = 'ffffffff00000000ffffffffffffffffbce6faada7179e84f3b9cac2fc632551';
