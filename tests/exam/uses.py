"""Correct uses of MPI functions by two ranks, one on each line of text:

    NAME(ARGUMENTS) @ what runs before | what the other rank does | what runs after

With a partner, rank 0 makes the call and rank 1 is the partner; without one, both ranks make it.
exam.py makes one argument wrong at a time. Variables: prelude of exam.py."""

P2P = """
Send(b,4,MPI_INT,1,5,W) @ | MPI_Recv(r,4,MPI_INT,0,5,W,ST)
Ssend(b,4,MPI_INT,1,5,W) @ | MPI_Recv(r,4,MPI_INT,0,5,W,ST)
Bsend(b,4,MPI_INT,1,5,W) @ MPI_Buffer_attach(big,sizeof big) | MPI_Recv(r,4,MPI_INT,0,5,W,ST) | MPI_Buffer_detach(&p,&k)
Rsend(b,4,MPI_INT,1,5,W) @ if (rank==1) MPI_Irecv(r,4,MPI_INT,0,5,W,&q2); MPI_Barrier(W) | MPI_Wait(&q2,ST)
Recv(r,4,MPI_INT,1,5,W,ST) @ | MPI_Send(b,4,MPI_INT,0,5,W)
Isend(b,4,MPI_INT,1,5,W,&q) @ | MPI_Recv(r,4,MPI_INT,0,5,W,ST) | if (rank==0) MPI_Wait(&q,ST)
Issend(b,4,MPI_INT,1,5,W,&q) @ | MPI_Recv(r,4,MPI_INT,0,5,W,ST) | if (rank==0) MPI_Wait(&q,ST)
Ibsend(b,4,MPI_INT,1,5,W,&q) @ MPI_Buffer_attach(big,sizeof big) | MPI_Recv(r,4,MPI_INT,0,5,W,ST) | if (rank==0) MPI_Wait(&q,ST); MPI_Buffer_detach(&p,&k)
Irecv(r,4,MPI_INT,1,5,W,&q) @ | MPI_Send(b,4,MPI_INT,0,5,W) | if (rank==0) MPI_Wait(&q,ST)
Send_init(b,4,MPI_INT,1,5,W,&q) @ | MPI_Recv(r,4,MPI_INT,0,5,W,ST) | if (rank==0) {MPI_Start(&q);MPI_Wait(&q,ST);MPI_Request_free(&q);}
Ssend_init(b,4,MPI_INT,1,5,W,&q) @ | MPI_Recv(r,4,MPI_INT,0,5,W,ST) | if (rank==0) {MPI_Start(&q);MPI_Wait(&q,ST);MPI_Request_free(&q);}
Recv_init(r,4,MPI_INT,1,5,W,&q) @ | MPI_Send(b,4,MPI_INT,0,5,W) | if (rank==0) {MPI_Start(&q);MPI_Wait(&q,ST);MPI_Request_free(&q);}
Sendrecv(b,4,MPI_INT,o,5,r,4,MPI_INT,o,5,W,ST) @
Sendrecv_replace(b,4,MPI_INT,o,5,o,5,W,ST) @
Probe(1,5,W,&s) @ | MPI_Send(b,4,MPI_INT,0,5,W) | if (rank==0) MPI_Recv(r,4,MPI_INT,1,5,W,ST)
Iprobe(1,5,W,&k,&s) @ | MPI_Send(b,4,MPI_INT,0,5,W) | if (rank==0) MPI_Recv(r,4,MPI_INT,1,5,W,ST)
Mprobe(1,5,W,&m,&s) @ | MPI_Send(b,4,MPI_INT,0,5,W) | if (rank==0) MPI_Mrecv(r,4,MPI_INT,&m,ST)
Mrecv(r,4,MPI_INT,&m,ST) @ if (rank==0) MPI_Mprobe(1,5,W,&m,&s); else MPI_Send(b,4,MPI_INT,0,5,W) | 0
Wait(&q,ST) @ if (rank==0) MPI_Irecv(r,4,MPI_INT,1,5,W,&q) | MPI_Send(b,4,MPI_INT,0,5,W)
Waitall(2,qq,SS) @ if (rank==0) {MPI_Irecv(r,4,MPI_INT,1,5,W,&qq[0]);MPI_Irecv(r+8,4,MPI_INT,1,6,W,&qq[1]);} | MPI_Send(b,4,MPI_INT,0,5,W);MPI_Send(b,4,MPI_INT,0,6,W)
Start(&q) @ if (rank==0) MPI_Send_init(b,4,MPI_INT,1,5,W,&q) | MPI_Recv(r,4,MPI_INT,0,5,W,ST) | if (rank==0) {MPI_Wait(&q,ST);MPI_Request_free(&q);}
"""
COLLECTIVE = """
Barrier(W) @
Bcast(b,4,MPI_INT,0,W) @
Reduce(b,r,4,MPI_INT,MPI_SUM,0,W) @
Allreduce(b,r,4,MPI_INT,MPI_SUM,W) @
Gather(b,4,MPI_INT,r,4,MPI_INT,0,W) @
Gatherv(b,4,MPI_INT,r,cnt,dsp,MPI_INT,0,W) @
Scatter(b,4,MPI_INT,r,4,MPI_INT,0,W) @
Scatterv(b,cnt,dsp,MPI_INT,r,4,MPI_INT,0,W) @
Allgather(b,4,MPI_INT,r,4,MPI_INT,W) @
Allgatherv(b,4,MPI_INT,r,cnt,dsp,MPI_INT,W) @
Alltoall(b,4,MPI_INT,r,4,MPI_INT,W) @
Alltoallv(b,cnt,dsp,MPI_INT,r,cnt,dsp,MPI_INT,W) @
Alltoallw(b,cnt,at8,tt,r,cnt,at8,tt,W) @ int at8[4] = {0, 16, 32, 48}
Scan(b,r,4,MPI_INT,MPI_SUM,W) @
Exscan(b,r,4,MPI_INT,MPI_SUM,W) @
Reduce_scatter(b,r,cnt,MPI_INT,MPI_SUM,W) @
Reduce_scatter_block(b,r,4,MPI_INT,MPI_SUM,W) @
Ibarrier(W,&q) @ | | MPI_Wait(&q,ST)
Ibcast(b,4,MPI_INT,0,W,&q) @ | | MPI_Wait(&q,ST)
Ireduce(b,r,4,MPI_INT,MPI_SUM,0,W,&q) @ | | MPI_Wait(&q,ST)
Iallreduce(b,r,4,MPI_INT,MPI_SUM,W,&q) @ | | MPI_Wait(&q,ST)
Igather(b,4,MPI_INT,r,4,MPI_INT,0,W,&q) @ | | MPI_Wait(&q,ST)
Iscatter(b,4,MPI_INT,r,4,MPI_INT,0,W,&q) @ | | MPI_Wait(&q,ST)
Iallgather(b,4,MPI_INT,r,4,MPI_INT,W,&q) @ | | MPI_Wait(&q,ST)
Ialltoall(b,4,MPI_INT,r,4,MPI_INT,W,&q) @ | | MPI_Wait(&q,ST)
Iscan(b,r,4,MPI_INT,MPI_SUM,W,&q) @ | | MPI_Wait(&q,ST)
Iexscan(b,r,4,MPI_INT,MPI_SUM,W,&q) @ | | MPI_Wait(&q,ST)
"""
OBJECTS = """
Comm_dup(W,&c) @ | | MPI_Comm_free(&c)
Comm_split(W,0,rank,&c) @ | | MPI_Comm_free(&c)
Comm_create(W,g,&c) @ MPI_Comm_group(W,&g) | | MPI_Group_free(&g);MPI_Comm_free(&c)
Comm_create_group(W,g,3,&c) @ MPI_Comm_group(W,&g) | | MPI_Group_free(&g);MPI_Comm_free(&c)
Comm_group(W,&g) @ | | MPI_Group_free(&g)
Comm_size(W,&k) @
Comm_rank(W,&k) @
Comm_free(&c) @ MPI_Comm_dup(W,&c)
Group_size(g,&k) @ MPI_Comm_group(W,&g) | | MPI_Group_free(&g)
Group_incl(g,1,one,&g2) @ MPI_Comm_group(W,&g) | | MPI_Group_free(&g);MPI_Group_free(&g2)
Group_free(&g) @ MPI_Comm_group(W,&g)
Cart_create(W,2,dims,per,0,&c) @ | | MPI_Comm_free(&c)
Type_contiguous(2,MPI_INT,&t) @ | | MPI_Type_free(&t)
Type_vector(2,1,2,MPI_INT,&t) @ | | MPI_Type_free(&t)
Type_indexed(2,cnt,dsp,MPI_INT,&t) @ | | MPI_Type_free(&t)
Type_commit(&t) @ MPI_Type_contiguous(2,MPI_INT,&t) | | MPI_Type_free(&t)
Type_free(&t) @ MPI_Type_contiguous(2,MPI_INT,&t)
Type_size(MPI_INT,&k) @
Op_free(&op) @ MPI_Op_create(fun,1,&op)
"""
RMA = """
Win_create(b,sizeof b,sizeof(int),MPI_INFO_NULL,W,&w) @ | | MPI_Win_free(&w)
Win_fence(0,w) @ WIN | | MPI_Win_free(&w)
Put(r,4,MPI_INT,o,0,4,MPI_INT,w) @ WIN;MPI_Win_fence(0,w) | | MPI_Win_fence(0,w);MPI_Win_free(&w)
Get(r,4,MPI_INT,o,0,4,MPI_INT,w) @ WIN;MPI_Win_fence(0,w) | | MPI_Win_fence(0,w);MPI_Win_free(&w)
Accumulate(r,4,MPI_INT,o,0,4,MPI_INT,MPI_SUM,w) @ WIN;MPI_Win_fence(0,w) | | MPI_Win_fence(0,w);MPI_Win_free(&w)
Win_lock(MPI_LOCK_SHARED,o,0,w) @ WIN | | MPI_Win_unlock(o,w);MPI_Win_free(&w)
Win_unlock(o,w) @ WIN;MPI_Win_lock(MPI_LOCK_SHARED,o,0,w) | | MPI_Win_free(&w)
Win_free(&w) @ WIN
"""
IO = """
File_open(W,"exam.dat",MPI_MODE_CREATE|MPI_MODE_RDWR,MPI_INFO_NULL,&f) @ | | MPI_File_close(&f)
File_write_at(f,rank*16,b,4,MPI_INT,ST) @ OPEN | | MPI_File_close(&f)
File_write_at_all(f,rank*16,b,4,MPI_INT,ST) @ OPEN | | MPI_File_close(&f)
File_set_view(f,0,MPI_INT,MPI_INT,"native",MPI_INFO_NULL) @ OPEN | | MPI_File_close(&f)
File_close(&f) @ OPEN
"""
