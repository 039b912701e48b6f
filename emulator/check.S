/* SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0 */
/*
 * What `record --how emulate` runs before it trusts a QEMU: faults that a handler steps over,
 * signals, a jump out of a handler, code that is rewritten (also in the block that runs), calls
 * deeper than a decoder remembers, string instructions. It uses no library, so that it does the
 * same everywhere; all is in one section, so that the linker changes no distance. Exit status 42.
 */
	.intel_syntax noprefix
	.section .check, "ax", @progbits
	.globl _start
	.set SYS_mprotect, 10
	.set SYS_rt_sigaction, 13
	.set SYS_rt_sigreturn, 15
	.set SYS_getpid, 39
	.set SYS_kill, 62
	.set SYS_exit_group, 231
	.set SIGFPE, 8
	.set SIGUSR1, 10
	.set SIGSEGV, 11
	.set SIGUSR2, 12
	/* 20 stores, 5 quotients of 12, 10 + 10 signals, 40 + ... + 1, 3 + 2 + 1, 100 deep, 15 */
	.set EXPECTED, 20 + 60 + 20 + 820 + 6 + 100 + 15
	/* in the frame that a handler has its third argument from */
	.set CONTEXT_RBX, 40 + 11 * 8
	.set CONTEXT_RIP, 40 + 16 * 8

_start:
	/* all of it may be written from now on */
	mov eax, SYS_mprotect
	lea rdi, [rip + _start]
	and rdi, -4096
	mov esi, 8192
	mov edx, 7
	syscall
	lea rsi, [rip + action_segv]
	mov edi, SIGSEGV
	call set_handler
	lea rsi, [rip + action_fpe]
	mov edi, SIGFPE
	call set_handler
	lea rsi, [rip + action_usr1]
	mov edi, SIGUSR1
	call set_handler
	lea rsi, [rip + action_usr2]
	mov edi, SIGUSR2
	call set_handler

	/* a store that faults, in the middle of a block */
	mov r12d, 20
1:	mov eax, 16
	nop
	mov [rax], rcx
	inc dword ptr [rip + counts]
	dec r12d
	jnz 1b

	/* a division by nothing, whose handler gives a divisor */
	mov r12d, 5
2:	xor ebx, ebx
	mov eax, 84
	xor edx, edx
	div rbx
	add dword ptr [rip + counts], eax
	dec r12d
	jnz 2b

	/* signals; the second kind's handler leaves by a jump */
	mov r12d, 10
3:	mov esi, SIGUSR1
	call send
	mov [rip + stack], rsp
	mov esi, SIGUSR2
	call send
	ud2
jumped:	dec r12d
	jnz 3b

	/* a function that is written anew each time */
	mov r12d, 40
4:	mov [rip + written + 1], r12b
	call written
	add [rip + counts], eax
	dec r12d
	jnz 4b

	/* an instruction that changes the next one, in its own block */
	mov r12d, 3
5:	mov [rip + changed + 1], r12b
changed:
	mov al, 0
	movzx eax, al
	add [rip + counts], eax
	dec r12d
	jnz 5b

	mov edi, 100
	call deep

	/* indirect calls and string instructions */
	mov r12d, 30
6:	lea rax, [rip + written]
	test r12b, 2
	jz 7f
	lea rax, [rip + leaf]
7:	call rax
	mov ecx, r12d
	lea rdi, [rip + bytes]
	rep stosb
	dec r12d
	jnz 6b

	mov eax, SYS_exit_group
	mov edi, 42
	cmp dword ptr [rip + counts], EXPECTED
	je 8f
	mov edi, 1
8:	syscall
	ud2

/* edi: signal, rsi: struct */
set_handler:
	mov eax, SYS_rt_sigaction
	xor edx, edx
	mov r10d, 8
	syscall
	ret

/* esi: signal */
send:	mov eax, SYS_getpid
	syscall
	mov edi, eax
	mov eax, SYS_kill
	syscall
	ret

deep:	dec edi
	jz 9f
	call deep
9:	inc dword ptr [rip + counts]
	ret

leaf:	inc dword ptr [rip + counts]
	ret

written:
	mov eax, 1
	ret

/* over the store of three bytes */
on_segv:
	add qword ptr [rdx + CONTEXT_RIP], 3
	ret
on_fpe:	mov qword ptr [rdx + CONTEXT_RBX], 7
	ret
on_usr1:
	inc dword ptr [rip + counts]
	ret
on_usr2:
	inc dword ptr [rip + counts]
	mov rsp, [rip + stack]
	jmp jumped
restore:
	mov eax, SYS_rt_sigreturn
	syscall

	/* handler, SA_SIGINFO | SA_RESTORER | SA_NODEFER, restorer, mask */
	.p2align 3
action_segv:
	.quad on_segv, 0x44000004, restore, 0
action_fpe:
	.quad on_fpe, 0x44000004, restore, 0
action_usr1:
	.quad on_usr1, 0x44000004, restore, 0
action_usr2:
	.quad on_usr2, 0x44000004, restore, 0
stack:	.quad 0
counts:	.long 0
bytes:	.fill 64, 1, 0
	/* the second page, wherever the first begins */
	.fill 4096, 1, 0
	.section .note.GNU-stack, "", @progbits
